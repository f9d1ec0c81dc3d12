// Package browser drives a headless Chromium in tests.
//
// Where there is no Chromium the tests that need one are skipped, loudly; under
// CI=true that is a failure.
package browser

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience bounds a whole test in the browser.
const patience = 5 * time.Minute

// A Page is one page in a browser of its own. It is for one goroutine.
type Page struct {
	t   testing.TB
	ctx context.Context

	done chan struct{} // closed when no complaint can come any more

	mu       sync.Mutex
	problems []string
}

// Open starts a browser with an empty page of this size in CSS pixels. At the
// end of the test the browser is stopped, and everything that the page
// complained of in its console, beside what Complaints took, fails the test.
func Open(t testing.TB, width, height int) *Page {
	t.Helper()
	path := find(t)
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(path),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-component-update", true),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(width, height),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	started, _ := chromedp.NewContext(allocator)
	p := &Page{t: t, done: make(chan struct{})}
	messages := chromedp.Console(started) // starts the browser
	go p.listen(messages)
	ctx, cancel := context.WithTimeout(started, patience)
	p.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(started); err != nil {
			t.Errorf("browser: stopping: %v", err)
		}
		cancel()
		<-p.done
		for _, problem := range p.Complaints() {
			t.Errorf("the page complained: %s", problem)
		}
	})
	p.Do(chromedp.EmulateViewport(int64(width), int64(height)))
	return p
}

// find gives the path of Chromium: $CHROMIUM, or what is installed.
func find(t testing.TB) string {
	t.Helper()
	candidates := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	if named := os.Getenv("CHROMIUM"); named != "" {
		candidates = []string{named}
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	const missing = "NO CHROMIUM: the page is NOT tested. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path."
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// listen collects complaints until the browser has stopped.
func (p *Page) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	defer close(p.done)
	for message, err := range messages {
		if err != nil {
			return // the context has ended, or the next action will fail alike
		}
		switch message.Type {
		case chromedp.ConsoleError, chromedp.ConsoleWarning, chromedp.ConsoleException:
			p.mu.Lock()
			p.problems = append(p.problems, message.String()+" "+message.URL)
			p.mu.Unlock()
		}
	}
}

// Complaints gives what the page has written to its console as errors and
// warnings (exceptions, violations of its content security policy, failed
// requests), and forgets it.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	problems := p.problems
	p.problems = nil
	return problems
}

// Screenshot saves the whole page as a picture, if the environment names a
// folder for them: NIGHTSHIFT_SCREENSHOTS.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("NIGHTSHIFT_SCREENSHOTS")
	if dir == "" {
		return
	}
	png := run(p, chromedp.FullScreenshot(100))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
