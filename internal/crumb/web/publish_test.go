package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// member opens a path as Ada, who is signed in.
func member(t *testing.T, api *fakeAPI, path string) *browser.Page {
	t.Helper()
	api.change(func() { api.crumb.me = "ada" })
	page := chromium.Open(t, 1000, 900)
	page.Visit(api.URL + path)
	return page
}

// write types a recipe into the form.
func write(page *browser.Page, title string) {
	page.Wait(shows("#editor"))
	page.Type("[name=title]", title)
	page.Type("[name=ingredients]", "1 kg onions\n\n 50 g butter ")
	page.Type("#steps li:nth-child(1) textarea", "Melt <b>slowly</b>.")
	page.Type("#steps li:nth-child(1) input", "20")
	page.Click("#add-step")
	page.Type("#steps li:nth-child(2) textarea", "Wait.")
	page.Type("#steps li:nth-child(2) input", "40")
}

// topCard is a JavaScript expression: the first recipe on a profile shows this.
func topCard(words ...string) string {
	conditions := []string{"location.pathname === '/cooks/ada'"}
	for _, w := range words {
		conditions = append(conditions, fmt.Sprintf("document.querySelector('#recipes > :first-child')?.innerText.includes(%q)", w))
	}
	return strings.Join(conditions, " && ")
}

func TestPublishShowsTheRecipeAtOnce(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /api/recipes"] = fate{times: always, status: 503, retryAfter: 2}
	page := member(t, api, "/publish")
	page.Wait(shows("#editor"))
	page.Choose("#photo-file", files(t, "tomatoes.jpg")...)
	write(page, "Onion soup")
	page.Says("#total", "60 minutes in all")
	page.Says("#photo-status", "The photo is uploaded")
	page.Screenshot("publish-filled")
	page.Click("#publish")
	page.Wait(topCard("Onion soup", "Busy, retrying in 2 seconds", "Your recipe is kept."))
	if n := api.called("POST /api/recipes/"); n != 0 {
		t.Errorf("%d calls to publish before there is a recipe", n)
	}
	page.Screenshot("publish-busy")
	refused := 0
	api.change(func() {
		refused = always - api.fates["POST /api/recipes"].times
		delete(api.fates, "POST /api/recipes")
	})
	page.Wait(topCard("Published, reaching everyone", "Search will find it soon", "Feeds waiting", "Photo: 1 of 4 sizes made"))
	page.Wait("document.querySelectorAll('#recipes > li').length === 2") // not twice: Ada's cake and the soup
	api.change(func() {
		recipe := api.crumb.recipes["new3"]
		if recipe["photo_key"] != "uploads/everyone/upload-00000001" || fmt.Sprint(recipe["ingredients"]) != "[1 kg onions 50 g butter]" ||
			fmt.Sprint(recipe["steps"]) != "[map[minutes:20 text:Melt <b>slowly</b>.] map[minutes:40 text:Wait.]]" {
			t.Errorf("sent: %v", recipe)
		}
		recipe["progress"] = progress("done", "working", 12_000, 40_000, "clear")
		recipe["photo"] = object{"state": "done"}
	})
	page.Wait(topCard("Search finds it", "Feeds: 12,000 of 40,000", "Spam check passed"))
	page.Visit(api.URL + "/cooks/ada") // a reload goes on
	page.Wait(topCard("Feeds: 12,000 of 40,000"))
	api.change(func() { api.crumb.recipes["new3"]["progress"] = progress("done", "done", 40_000, 40_000, "clear") })
	page.Wait(topCard("In all 40,000 followers’ feeds"))
	page.Wait("(sessionStorage.getItem('crumb.publications') ?? '[]') === '[]' && sessionStorage.getItem('crumb.draft.new') === null")
	if n := api.called("POST /api/recipes map"); n != refused+1 {
		t.Errorf("the recipe was sent %d times, and refused %d times", n, refused)
	}
	if n := api.called("POST /api/recipes/new3/publish"); n != 1 {
		t.Errorf("it was published %d times", n)
	}
	quiet(t, page, "503", "404") // the photo has no sizes here
}

func TestPublicationIsTakenBack(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /api/recipes/{id}/publish"] = fate{times: 1, status: 422, detail: "the recipe still needs a step"}
	page := member(t, api, "/publish")
	write(page, "Half a soup")
	page.Click("#publish")
	page.Says("#taken-back", "“Half a soup” was not published")
	page.Says("#taken-back", "The recipe still needs a step. What you wrote is kept.")
	page.Wait("document.querySelectorAll('#recipes > li').length === 1")
	page.Screenshot("taken-back")
	page.Click("#taken-back a")
	page.Wait("location.pathname === '/recipes/new3/edit' && document.querySelector('[name=title]')?.value === 'Half a soup'")
	page.Click("#publish")
	page.Wait(topCard("Half a soup", "Published"))
	quiet(t, page, "422")
}

func TestPublicationOfSomebodySignedOut(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /api/recipes"] = fate{times: 1, status: 401, detail: "sign in first"}
	page := member(t, api, "/publish")
	write(page, "Onion soup")
	page.Click("#publish")
	page.Says("#taken-back", "You are signed out")
	page.Says("#taken-back", "What you wrote is kept.")
	if next := browser.Eval[string](page, "document.querySelector('#taken-back a').getAttribute('href')"); next != "/signin?next=%2Fpublish" {
		t.Errorf("the way back leads by %s", next)
	}
	page.Visit(api.URL + "/publish")
	page.Wait("document.querySelector('[name=title]')?.value === 'Onion soup'")
	quiet(t, page, "401")
}

func TestDraftsAreKept(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/publish")
	write(page, "Onion soup")
	page.Visit(api.URL + "/publish")
	page.Wait("document.querySelector('[name=title]')?.value === 'Onion soup' && document.querySelectorAll('#steps li').length === 2")
	page.Says("#recipe-form .form-status", "still here")
	page.Click("#save-draft")
	page.Wait("location.pathname === '/recipes/new3/edit' && document.querySelector('#heading')?.innerText === 'Your draft'")
	api.change(func() { api.crumb.recipes["new3"]["version"] = 7 }) // elsewhere
	page.Type("[name=title]", " with toast")
	page.Click("#save-draft")
	page.Says("#recipe-form .form-status", "It was changed elsewhere meanwhile")
	page.Click(".form-status button")
	page.Says("#recipe-form .form-status", "Draft saved")
	api.change(func() {
		if r := api.crumb.recipes["new3"]; r["title"] != "Onion soup with toast" || r["version"] != 8 {
			t.Errorf("the draft is %v", r)
		}
	})
	page.Visit(api.URL + "/recipes/new3")
	page.Says("#standing", "A draft: only you can see it")
	page.Visit(api.URL + "/recipes/new3/edit")
	page.Wait(shows("#editor"))
	page.Click("#delete")
	page.Says("#recipe-form .form-status", "Delete this recipe for good?")
	page.Click(".form-status button")
	page.Wait("location.pathname === '/cooks/ada'")
	quiet(t, page, "409")
}

func TestPhotoThatCanNotBeUploaded(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.busy["/uploads"], api.busyStatus = 1, 415
	page := member(t, api, "/publish")
	write(page, "Onion soup")
	page.Choose("#photo-file", files(t, "small.jpg")...)
	page.Says("#photo-status", "This photo couldn’t be uploaded. Try again?")
	page.Says("#photo-status", "This file is not a picture.")
	page.Click("#publish")
	page.Says("#recipe-form .form-status", "This file is not a picture.")
	page.Click("#photo-remove")
	page.Wait("document.querySelector('#photo-side').hidden && document.activeElement.id === 'photo-file'")
	page.Choose("#photo-file", files(t, "small.jpg")...)
	page.Says("#photo-status", "The photo is uploaded")
	page.Click("#photo-remove")
	page.Click("#publish")
	page.Wait(topCard("Onion soup", "Published"))
	api.change(func() {
		if key := api.crumb.recipes["new3"]["photo_key"]; key != nil {
			t.Errorf("the recipe has the photo %v that was removed", key)
		}
	})
	quiet(t, page, "415")
}
