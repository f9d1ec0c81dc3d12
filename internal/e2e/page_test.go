package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// chromium is the browser that all tests share; run closes it.
var chromium browser.Browser

// files writes samples to a folder and gives their paths.
func files(t testing.TB, names ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for _, name := range names {
		s, err := samplephotos.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// asGuest opens a page in a browser where nobody is signed in. Chromium complains of
// the answer that says so; all other complaints fail the test.
func asGuest(t *testing.T, width, height int) *browser.Page {
	t.Helper()
	page := chromium.Open(t, width, height)
	t.Cleanup(func() { // before that of Open
		for _, complaint := range page.Complaints() {
			if !strings.HasSuffix(complaint, "/api/me") {
				t.Errorf("the page complained: %s", complaint)
			}
		}
	})
	return page
}

// phase is a JavaScript expression: the card of the name is in that phase.
func phase(name, phase string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.card')].some(c => c.innerText.includes(%q) && c.dataset.phase === %q)", name, phase)
}

// previewed is a JavaScript expression: the card shows the browser's own copy,
// or has been overtaken by the server's.
const previewed = "document.querySelector('.card .picture-image:not([hidden])')?.naturalWidth > 0"

func TestPageOnAPhone(t *testing.T) {
	page := asGuest(t, 375, 812)
	page.Visit(crumb.HTTPURL() + "/upload")
	page.Choose("#files", files(t, "soup.jpg")...)
	page.Wait(previewed)
	page.Choose("#files", files(t, "tomatoes.jpg", "bad/truncated.jpg")...)
	page.Wait(phase("soup.jpg", "done") + " && " + phase("tomatoes.jpg", "done") + " && " + phase("truncated.jpg", "failed"))
	page.Wait("[...document.querySelectorAll('.card[data-phase=done] img')].every(i => i.src.endsWith('/small.jpg') && i.naturalWidth > 0)")
	if links := browser.Eval[int](page, "document.querySelectorAll('.card[data-phase=done] .sizes a').length"); links != 8 {
		t.Errorf("two photos that are done have %d links, want 8", links)
	}
	if width := browser.Eval[int](page, "document.documentElement.scrollWidth"); width > 375 {
		t.Errorf("the page is %d pixels wide on a screen of 375", width)
	}
	if text := page.Text(".card[data-phase=failed]"); !strings.Contains(text, "The file ends before the picture does") || !strings.Contains(text, "Try again") {
		t.Errorf("the card of the bad photo reads %q", text)
	}
	page.Screenshot("phone")
	page.Visit(crumb.HTTPURL() + "/upload") // a reload finds everything again
	page.Wait(phase("soup.jpg", "done") + " && " + phase("tomatoes.jpg", "done") + " && " + phase("truncated.jpg", "failed"))
}

func TestPageTriesAgain(t *testing.T) {
	page := asGuest(t, 1100, 800)
	page.Visit(crumb.HTTPURL() + "/upload")
	page.Choose("#files", files(t, "bad/heic.jpg")...)
	page.Wait(phase("heic.jpg", "failed"))
	page.Says(".card", "HEIC pictures are not supported")
	first := browser.Eval[string](page, "localStorage.getItem('crumb.photos')")
	page.Click("[data-do=again]")
	page.Wait(fmt.Sprintf("localStorage.getItem('crumb.photos') !== %q && %s", first, phase("heic.jpg", "failed")))
}

func TestPageWhileTheServerIsBusy(t *testing.T) {
	target, err := url.Parse(crumb.HTTPURL())
	if err != nil {
		t.Fatal(err)
	}
	stack := httputil.NewSingleHostReverseProxy(target)
	var refused, taken atomic.Int32
	var room atomic.Bool
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/jobs/") {
			if !room.Load() {
				refused.Add(1)
				w.Header().Set("Retry-After", "2")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			taken.Add(1)
		}
		stack.ServeHTTP(w, r)
	}))
	t.Cleanup(busy.Close)
	page := asGuest(t, 1100, 800)
	page.Visit(busy.URL + "/upload")
	page.Choose("#files", files(t, "orientation-6.jpg")...)
	page.Says(".card", "Busy, retrying in")
	room.Store(true)
	page.Wait(phase("orientation-6.jpg", "done"))
	if refused.Load() == 0 || taken.Load() != 1 {
		t.Errorf("the job was refused %d times and taken %d times", refused.Load(), taken.Load())
	}
	for _, complaint := range page.Complaints() {
		if !strings.Contains(complaint, "503") && !strings.HasSuffix(complaint, "/api/me") {
			t.Errorf("the page complained: %s", complaint)
		}
	}
}

func TestPageCancels(t *testing.T) {
	// Nobody is faster than the page.
	turn(t, crumb, "PhotosFunction", false)
	defer turn(t, crumb, "PhotosFunction", true)
	until(t, "nobody polls the photos", func() bool { return pollingOf(t, crumb, "photos").Pollers == 0 })
	page := asGuest(t, 1100, 800)
	page.Visit(crumb.HTTPURL() + "/upload")
	page.Choose("#files", files(t, "soup.jpg", "tomatoes.jpg", "orientation-1.jpg", "orientation-2.jpg", "cutout.png")...)
	page.Wait("document.querySelectorAll('.card[data-phase=processing]').length === 5")
	browser.Eval[bool](page, "document.querySelectorAll('[data-do=cancel]:not([hidden])').forEach(b => b.click()), true")
	page.Wait("document.querySelectorAll('.card[data-phase=cancelled]').length === 5")
}
