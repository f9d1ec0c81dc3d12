package web_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// chromium is the browser that all tests share.
var chromium browser.Browser

// sideBySide is how many pages are open at a time: they wait more than they compute.
const sideBySide = 5

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(sideBySide, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "the browser does not stop:", err)
		code = 1
	}
	os.Exit(code)
}

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

// open opens the page for photos of an API.
func open(t *testing.T, api *fakeAPI) *browser.Page {
	t.Helper()
	return member(t, api, "/upload")
}

// phase is a JavaScript expression: the card of the name is in that phase.
func phase(name, phase string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.card')].some(c => c.innerText.includes(%q) && c.dataset.phase === %q)", name, phase)
}

// shows is a JavaScript expression: what is hidden until the page is ready is shown. A
// page that has only just begun does not have it yet.
func shows(selector string) string {
	return fmt.Sprintf("document.querySelector(%q)?.hidden === false", selector)
}

// always is how often a request is refused until the test lets it through: what a page
// says meanwhile it says again and again, and a slow machine misses it once at most.
const always = 1000

// quiet takes complaints that a test expects: each holds one of the words.
func quiet(t *testing.T, page *browser.Page, expected ...string) {
	t.Helper()
next:
	for _, complaint := range page.Complaints() {
		for _, word := range expected {
			if strings.Contains(complaint, word) {
				continue next
			}
		}
		t.Errorf("the page complained: %s", complaint)
	}
}

func TestPhotoBecomesFourSizes(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.hold = true
	page := open(t, api)
	page.Screenshot("fresh")
	page.Choose("#files", files(t, "tomatoes.jpg")...)
	page.Wait(phase("tomatoes.jpg", "processing"))
	page.Wait("document.querySelector('.picture-image').naturalWidth === 2400")
	if src := browser.Eval[string](page, "document.querySelector('.picture-image').src"); !strings.HasPrefix(src, "blob:") {
		t.Errorf("the picture is %s before the server has one, want the browser's own copy", src)
	}
	page.Screenshot("processing")
	api.change(func() { api.hold = false })
	page.Wait(phase("tomatoes.jpg", "done"))
	page.Wait("document.querySelector('.picture-image').src.endsWith('/small.jpg')")
	for i, want := range []string{`^Thumb\s+160 × 107\s+\d+ KB$`, `^Small\s+480 × 320\s+\d+ KB$`, `^Medium\s+1080 × 720\s+\d+ KB$`, `^Large\s+2048 × 1365\s+\d+ KB$`} {
		got := page.Text(fmt.Sprintf(".sizes li:nth-child(%d)", i+1))
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("size %d reads %q, want %s", i+1, got, want)
		}
	}
	if links := browser.Eval[int](page, "document.querySelectorAll('.sizes a[href]').length"); links != 4 {
		t.Errorf("%d links, want 4", links)
	}
	if news := page.Text("#news"); !strings.HasPrefix(news, "tomatoes.jpg: Done") {
		t.Errorf("a screen reader hears %q", news)
	}
}

func TestBusyServer(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{"/uploads": 503, "/jobs/photo.resize": 429} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			api := newAPI(t)
			api.busy[path], api.busyStatus = always, status
			page := open(t, api)
			page.Choose("#files", files(t, "small.jpg")...)
			page.Says(".card", "Busy, retrying in 2 seconds")                          // the floor that the server asked for, at least
			page.Wait("document.querySelector('.picture-image').naturalWidth === 120") // while it waits
			page.Says(".card", "Busy, retrying in 1 second")
			if path == "/uploads" {
				page.Screenshot("busy")
			}
			api.change(func() { api.busy[path] = 0 })
			page.Wait(phase("small.jpg", "done"))
			if len(api.jobs) != 1 || api.bucket.puts != 1 {
				t.Errorf("%d jobs and %d uploads of one photo", len(api.jobs), api.bucket.puts)
			}
			quiet(t, page, fmt.Sprint(status))
		})
	}
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.losing, api.bucket.losing = 1, 1
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg")...)
	page.Wait(phase("small.jpg", "done"))
	if len(api.jobs) != 1 || api.made != 1 {
		t.Errorf("%d jobs of %d uploads: want one, by its Idempotency-Key", len(api.jobs), api.made)
	}
	quiet(t, page, "net::ERR_", "412")
}

func TestExpiredUpload(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.bucket.expired = 1
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg")...)
	page.Wait(phase("small.jpg", "done"))
	if api.made != 2 {
		t.Errorf("%d uploads were asked for, want a second one after the first expired", api.made)
	}
	quiet(t, page, "403")
}

func TestBadPhotoSaysWhyAndTriesAgain(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	page.Choose("#files", files(t, "bad/heic.jpg")...)
	page.Wait(phase("heic.jpg", "failed"))
	page.Says(".card", "HEIC pictures are not supported")
	if !browser.Eval[bool](page, "document.querySelector('.picture-image').hidden") {
		t.Error("a broken picture is shown in place of the placeholder")
	}
	page.Screenshot("failed")
	api.change(func() { api.hold = true })
	page.Click("[data-do=again]")
	page.Wait(phase("heic.jpg", "processing"))
	api.change(func() { api.hold = false })
	page.Wait(phase("heic.jpg", "failed"))
	if api.made != 2 || len(api.jobs) != 2 {
		t.Errorf("%d uploads and %d jobs, want two: a new upload each time", api.made, len(api.jobs))
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.hold = true
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg")...)
	page.Wait(phase("small.jpg", "processing"))
	page.Click("[data-do=cancel]")
	page.Wait(phase("small.jpg", "cancelled"))
	api.change(func() { api.hold = false })
	page.Click("[data-do=again]")
	page.Wait(phase("small.jpg", "done"))
	page.Click("[data-do=remove]")
	page.Wait("document.querySelectorAll('.card').length === 0 && document.querySelector('#shelf').hidden")
	if focus := browser.Eval[string](page, "document.activeElement.id"); focus != "files" {
		t.Errorf("the focus went to %q, want where photos are chosen", focus)
	}
}

func TestReloadKeepsJobs(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg", "bad/text.jpg")...)
	page.Wait(phase("small.jpg", "done") + " && " + phase("text.jpg", "failed"))
	api.change(func() { api.hold = true })
	page.Choose("#files", files(t, "orientation-6.jpg")...)
	page.Wait(phase("orientation-6.jpg", "processing"))
	page.Visit(api.URL + "/upload")
	page.Wait(phase("small.jpg", "done") + " && " + phase("text.jpg", "failed") + " && " + phase("orientation-6.jpg", "processing"))
	page.Wait("document.querySelectorAll('.picture-image:not([hidden])').length === 1") // the preview is gone, the result is shown
	api.change(func() { api.hold = false })
	page.Wait(phase("orientation-6.jpg", "done"))
}

func TestReloadHandsOverWhatIsUploaded(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.busy["/jobs/photo.resize"], api.retryAfter = 1, 298
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg")...)
	page.Says(".card", "Busy, retrying in 29") // 298 and at most a second more, for ten seconds
	page.Visit(api.URL + "/upload")
	page.Wait(phase("small.jpg", "done"))
	if len(api.jobs) != 1 || api.made != 1 {
		t.Errorf("%d jobs of %d uploads, want one of one", len(api.jobs), api.made)
	}
	quiet(t, page, "503")
}

func TestDroppedPhotos(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	const drag = `((type) => {
		const data = new DataTransfer();
		data.items.add(new File(['no picture'], 'dropped.jpg', {type: 'image/jpeg'}));
		const event = new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true});
		document.body.dispatchEvent(event);
		return event.defaultPrevented && document.querySelector('#picker').classList.contains('over');
	})`
	if !browser.Eval[bool](page, drag+"('dragenter')") {
		t.Error("the page does not show that it takes photos")
	}
	if browser.Eval[bool](page, drag+"('drop')") {
		t.Error("after the drop the page still looks as if something were held over it")
	}
	page.Wait(phase("dropped.jpg", "failed"))
	page.Says(".card", "The file is not a picture.")
}

func TestBusyForTooLong(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.busy["/uploads"], api.retryAfter = 9, 0
	page := open(t, api)
	// Waits of no length: what is tried here is what happens after them.
	browser.Eval[bool](page, "Math.random = () => 0, true")
	page.Choose("#files", files(t, "small.jpg")...)
	page.Wait(phase("small.jpg", "paused"))
	page.Says(".card", "Your photo is kept")
	page.Screenshot("paused")
	page.Click("[data-do=again]")
	page.Wait(phase("small.jpg", "done"))
	quiet(t, page, "503")
}

func TestFilesThatNeverBecomeJobs(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	page.Choose("#files", files(t, "bad/empty.jpg")...)
	page.Wait(phase("empty.jpg", "failed"))
	page.Says(".card", "The file is empty.")
	api.change(func() { api.busy["/uploads"], api.busyStatus = 1, 415 })
	page.Choose("#files", files(t, "small.jpg")...)
	page.Wait(phase("small.jpg", "failed"))
	page.Says(".card", "This file is not a picture.")
	if api.made != 0 {
		t.Errorf("%d uploads were made", api.made)
	}
	quiet(t, page, "415")
}
