package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

func TestExport(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/account")
	page.Wait(shows("#account"))
	page.Click("#export")
	page.Says("#export-status", "Preparing your data\n")
	page.Says("#export-status", "In line. You can leave this page: a mail with the link comes when it is ready.")
	api.change(func() {
		api.crumb.export = object{"id": "exp1", "state": "running", "progress": object{"done": 3, "of": 12}}
	})
	page.Says("#export-status", "Preparing your data: 3 of 12")
	if share := browser.Eval[float64](page, "document.querySelector('#export-status progress').value"); share != .25 {
		t.Errorf("the bar is at %v", share)
	}
	page.Screenshot("export-running")
	page.Visit(api.URL + "/account") // whoever comes back finds it
	page.Says("#export-status", "Preparing your data: 3 of 12")
	api.change(func() {
		api.crumb.export = object{"id": "exp1", "state": "done", "url": "/exports/exp1/data.zip", "expires_at": time.Now().Add(24 * time.Hour).Format(time.RFC3339)}
	})
	page.Says("#export-status", "Your data is ready")
	page.Says("#export-status", "The link works until")
	if link := browser.Eval[string](page, "document.querySelector('#export-status a').getAttribute('href')"); link != "/exports/exp1/data.zip" {
		t.Errorf("the link leads to %s", link)
	}
	api.change(func() {
		api.crumb.export = object{"id": "exp2", "state": "dead", "error": "The storage was full."}
	})
	page.Visit(api.URL + "/account")
	page.Says("#export-status", "Your data couldn’t be gathered. Try again?")
	page.Says("#export-status", "The storage was full.")
	api.change(func() {
		api.crumb.export = object{"id": "exp1", "state": "done", "url": "/old", "expires_at": at(-60 * 24 * 365 * 20)}
	})
	page.Visit(api.URL + "/account")
	page.Says("#export-status", "The link to your data has expired")
	if shown := browser.Eval[bool](page, "!document.querySelector('#status').hidden"); shown {
		t.Error("the page says that something is missing")
	}
	quiet(t, page, "404") // no export, before the first
}

func TestBusyExport(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /exports"] = fate{times: always, status: 503, retryAfter: 2}
	page := member(t, api, "/account")
	page.Wait(shows("#account"))
	page.Click("#export")
	page.Says("#export-status", "Busy, retrying in 2 seconds")
	api.change(func() { delete(api.fates, "POST /exports") })
	page.Says("#export-status", "Preparing your data")
	quiet(t, page, "503", "404")
}

func TestImport(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	file := filepath.Join(t.TempDir(), "recipes.jsonl")
	if err := os.WriteFile(file, []byte("{\"title\":\"Soup\"}\nnot json\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	page := member(t, api, "/account")
	page.Wait(shows("#account"))
	page.Choose("#import-file", file)
	page.Click("#import button")
	page.Says("#import-progress", "Reading your file")
	if n := api.called("POST /api/imports map[key:uploads/everyone/upload-00000001]"); n != 1 {
		t.Errorf("asked for: %v", api.crumb.calls)
	}
	if o, _ := api.bucket.get("uploads/everyone/upload-00000001"); o.contentType != "application/x-ndjson" || !strings.Contains(string(o.data), "not json") {
		t.Errorf("uploaded: %+v", o)
	}
	bad := []object{{"line": 2, "reason": "it is not JSON"}}
	api.change(func() {
		api.crumb.imports = object{"id": "imp1", "state": "running", "lines": 2000, "done": 500, "imported": 499, "bad": bad}
	})
	page.Says("#import-progress", "Importing: 500 of 2,000 lines")
	page.Says("#bad-lines", "it is not JSON")
	page.Visit(api.URL + "/account")
	page.Says("#import-progress", "499 recipes imported as drafts, 1 bad line.")
	api.change(func() {
		api.crumb.imports = object{"id": "imp1", "state": "done", "lines": 2000, "done": 2000, "imported": 1999, "bad": bad}
	})
	page.Says("#import-progress", "Imported, but not all")
	look(t, page, "import")
	quiet(t, page, "404")
}

func TestPDF(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/recipes/soup")
	page.Wait(shows("#actions"))
	page.Click("#pdf")
	page.Says("#pdf-status", "Preparing your PDF")
	page.Says("#pdf-status", "In line")
	api.change(func() {
		api.crumb.pdf = object{"id": "pdf1", "state": "running", "attempts": 2, "max_attempts": 5}
	})
	page.Says("#pdf-status", "Attempt 2 of 5")
	page.Screenshot("pdf")
	api.change(func() {
		api.crumb.pdf = object{"id": "pdf1", "state": "dead", "error": object{"message": "There was no paper."}}
	})
	page.Says("#pdf-status", "The PDF couldn’t be made. Try again?")
	page.Says("#pdf-status", "There was no paper.")
	page.Click("#pdf")
	page.Says("#pdf-status", "In line")
	api.change(func() { api.crumb.pdf = object{"id": "pdf1", "state": "done"} })
	page.Says("#pdf-status", "Download the PDF")
	if link := browser.Eval[string](page, "document.querySelector('#pdf-status a').getAttribute('href')"); link != "/api/recipes/soup/pdf" {
		t.Errorf("the link leads to %s", link)
	}
}

func TestReminders(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/recipes/soup")
	page.Wait(shows("#actions"))
	page.Click("#remind button")
	page.Says("#remind", "You will be reminded on 29 December 2026")
	if n := api.called("POST /api/recipes/soup/reminders map[days:30]"); n != 1 {
		t.Errorf("asked for: %v", api.crumb.calls)
	}
	page.Visit(api.URL + "/account")
	page.Wait("document.querySelectorAll('#reminder-list li').length === 2")
	page.Click("#reminder-list [data-do=move]")
	browser.Eval[bool](page, "document.querySelector('#reminder-list input').value = '2027-02-03T08:30', true")
	page.Click("#reminder-list form button")
	page.Says("#reminder-list", "3 February 2027 at 08:30")
	if n := api.called("PUT /api/reminders/rem1 map[at:2027-02-03T08:30:00.000Z]"); n != 1 {
		t.Errorf("moved: %v (the browser's time zone is UTC in tests)", api.crumb.calls)
	}
	look(t, page, "reminder-moved")
	page.Click("#reminder-list [data-do=cancel]")
	page.Wait("document.querySelectorAll('#reminder-list li').length === 1 && document.activeElement.textContent === 'Tomato soup'")
	quiet(t, page, "404")
}

func TestOpinions(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["PUT /api/recipes/{id}/save"] = fate{times: 1, status: 500}
	page := member(t, api, "/recipes/soup")
	page.Wait(shows("#actions"))
	browser.Eval[bool](page, "Math.random = () => 0, true") // waits of no length
	page.Click("#save")
	page.Wait("document.querySelector('#save').innerText === 'Saved' && document.querySelector('#save').ariaPressed === 'true'")
	page.Click("#save")
	page.Wait("document.querySelector('#save').ariaPressed === 'false'")
	page.Click("#rating label:nth-of-type(4)")
	page.Says("#average", "4.3 of 5 from 3 ratings")
	page.Visit(api.URL + "/cooks/grace")
	page.Wait("document.querySelector('#followers')?.innerText === '1,200 followers'")
	page.Click("#follow")
	page.Wait("document.querySelector('#follow').innerText === 'Following' && document.querySelector('#followers').innerText === '1,201 followers'")
	page.Click("#notify")
	page.Says("#follow-status", "New recipes come to your inbox")
	if n := api.called("PUT /api/cooks/grace/follow map[notify:true]"); n != 1 {
		t.Errorf("%v", api.crumb.calls)
	}
	if n := api.called("POST /api/recipes/soup/views"); n != 1 {
		t.Errorf("%d views were counted, want 1", n)
	}
	quiet(t, page, "500")
}

// TestSizesArrive watches the photo of a recipe become sizes.
func TestSizesArrive(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	size := func(name string, width int) object {
		return object{"name": name, "url": "/photos/upload-00000009/" + name + ".jpg", "width": width, "height": width / 2, "bytes": 1000}
	}
	api.crumb.recipes["soup"]["photo"] = object{"state": "queued", "status_url": "/jobs/pdf1"}
	api.crumb.pdf = object{"id": "pdf1", "state": "running", "progress": object{"sizes": []object{size("thumb", 160)}}}
	page := member(t, api, "/recipes/soup")
	page.Says("#photo-status", "1 of 4 sizes made")
	page.Wait("document.querySelector('#photo-image').src.endsWith('/thumb.jpg') && document.querySelectorAll('#sizes a').length === 1")
	api.change(func() {
		api.crumb.pdf = object{"id": "pdf1", "state": "done", "result": object{"sizes": []object{size("thumb", 160), size("small", 480), size("medium", 1080), size("large", 2048)}}}
	})
	page.Wait("document.querySelector('#photo-image').src.endsWith('/large.jpg') && document.querySelectorAll('#sizes a').length === 4 && document.querySelector('#photo-status').hidden")
	api.change(func() {
		api.crumb.recipes["cake"]["photo"] = object{"state": "failed", "status_url": "/jobs/pdf1"}
		api.crumb.pdf = object{"id": "pdf1", "state": "dead", "error": object{"message": "The file is not a picture."}}
	})
	page.Visit(api.URL + "/recipes/cake")
	page.Says("#photo-status", "This photo couldn’t be processed")
	page.Says("#photo-status", "The file is not a picture.")
	page.Says("#photo-status", "Try again with another photo")
	quiet(t, page, "404")
}

// TestPagesOfAFailingAPI: what a page can't do without is asked for again, with
// longer and longer waits; then the reader says when.
func TestPagesOfAFailingAPI(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["GET /api/feed"] = fate{times: 1, status: 503, retryAfter: 30}
	api.fates["GET /api/cooks/{id}"] = fate{times: 9, status: 502}
	page := member(t, api, "/feed")
	page.Wait(aboutThirty("#main"))
	page.Screenshot("feed-busy")
	quiet(t, page, "503")
	// Nine answers in a row are more than a page asks for by itself.
	page.Script("Math.random = () => 0")
	page.Visit(api.URL + "/cooks/grace")
	page.Says("#status", "Still trouble on our side")
	page.Screenshot("cook-failing")
	page.Click("#status button")
	page.Says("#name", "Grace Hopper")
	quiet(t, page, "502")
}

// TestPagesOfASlowAPI: what takes its time is said, and comes.
func TestPagesOfASlowAPI(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	recipe, me := make(chan struct{}), make(chan struct{})
	api.slow = map[string]chan struct{}{"GET /api/recipes/{id}": recipe, "GET /api/me": me}
	page := member(t, api, "/recipes/soup")
	page.Says("#status", "Loading")
	close(me)
	page.Wait("document.querySelector('#account-link').innerText.includes('Ada')")
	page.Says("#status", "Loading")
	close(recipe)
	page.Says("#title", "Tomato soup")
	page.Wait("document.querySelector('#status').hidden")
}

// TestMore goes through a list that is longer than a page.
func TestMore(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	for i := range 30 {
		api.crumb.add(fmt.Sprintf("r%d", i), "grace", fmt.Sprintf("Recipe %d", i))
	}
	page := member(t, api, "/search?q=recipe")
	page.Wait("document.querySelectorAll('#found li').length === 12")
	page.Click(".more")
	page.Wait("document.querySelectorAll('#found li').length === 24 && document.activeElement.textContent === 'Recipe 17'")
	page.Click(".more")
	page.Wait("document.querySelectorAll('#found li').length === 30 && document.querySelector('.more').hidden")
}
