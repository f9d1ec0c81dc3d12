// Package browser drives a headless Chromium in tests.
//
// Where there is no Chromium the tests that need one are skipped, loudly; under
// CI=true that is a failure.
package browser

import (
	"context"
	"errors"
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
const patience = 10 * time.Minute

// A Browser is one Chromium that tests share: each of their pages has storage,
// cookies and a cache of its own, and only the first has to wait until Chromium
// has started. The zero value is ready; whoever declares one closes it.
type Browser struct {
	mu      sync.Mutex
	started context.Context
	stop    []func() error // in the order of stopping
}

// A Page is one page with storage of its own. It is for one goroutine.
type Page struct {
	t   testing.TB
	ctx context.Context

	done chan struct{} // closed when no complaint can come any more

	mu       sync.Mutex
	problems []string
}

// Open opens an empty page of this size in CSS pixels, for somebody who likes it
// light and without motion. At the end of the test it
// is closed, and everything that it complained of in its console, beside what
// Complaints took, fails the test.
func (b *Browser) Open(t testing.TB, width, height int) *Page {
	t.Helper()
	tab, _ := chromedp.NewContext(b.start(t), chromedp.WithNewBrowserContext())
	p := &Page{t: t, done: make(chan struct{})}
	messages := chromedp.Console(tab) // opens the page
	go p.listen(messages)
	ctx, cancel := context.WithTimeout(tab, patience)
	p.ctx = ctx
	t.Cleanup(func() {
		if err := chromedp.Cancel(tab); err != nil {
			t.Errorf("browser: closing the page: %v", err)
		}
		cancel()
		<-p.done
		for _, problem := range p.Complaints() {
			t.Errorf("the page complained: %s", problem)
		}
	})
	p.Resize(width, height)
	p.Dark(false)
	return p
}

// start starts Chromium unless it runs.
func (b *Browser) start(t testing.TB) context.Context {
	t.Helper()
	path := find(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.started != nil {
		return b.started
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(path),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-component-update", true),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	b.stop = []func() error{
		func() error { return chromedp.Cancel(ctx) },
		func() error { release(); return nil }, // waits until its processes and its folder are gone
	}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browser: starting Chromium: %v", err)
	}
	b.started = ctx
	return ctx
}

// Close stops Chromium, if it was started.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var problems []error
	for _, stop := range b.stop {
		problems = append(problems, stop())
	}
	b.started, b.stop = nil, nil
	return errors.Join(problems...)
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

// Pictures tells whether Screenshot saves any.
func Pictures() bool { return os.Getenv(pictures) != "" }

// pictures is the setting that names the folder for pictures.
const pictures = "NIGHTSHIFT_SCREENSHOTS"

// Screenshot saves the whole page as a picture, if the environment names a
// folder for them: NIGHTSHIFT_SCREENSHOTS.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv(pictures)
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
