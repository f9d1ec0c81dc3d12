package web_test

import (
	"testing"
	"time"
)

// TestEveryPageOnEveryScreen visits the pages as a reader who is signed in.
func TestEveryPageOnEveryScreen(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	c := &api.crumb
	c.me = "ada"
	c.following["grace"] = true
	c.add("draft", "ada", "Bread, not yet done")
	c.recipes["draft"]["state"] = "draft"
	c.recipes["cake"]["progress"] = progress("done", "working", 12_000, 40_000, "queued")
	c.export = object{"id": "exp1", "state": "done", "url": "/download", "expires_at": time.Now().Add(time.Hour).Format(time.RFC3339)}
	page := chromium.Open(t, 1280, 900)
	for _, visit := range []struct{ name, path, ready string }{
		{"home", "/", "document.querySelectorAll('#newest .card').length === 3 && document.querySelector('#as-of time')"},
		{"search", "/search?q=tomato", "document.querySelectorAll('#found .card').length === 1"},
		{"search-nothing", "/search?q=quinoa", "document.body.innerText.includes('No recipe has these words')"},
		{"recipe", "/recipes/soup", "document.querySelectorAll('#steps li').length === 2 && !document.querySelector('#actions').hidden"},
		{"recipe-own", "/recipes/cake", "document.querySelector('#standing').innerText.includes('12,000 of 40,000')"},
		{"publish", "/publish", "!document.querySelector('#editor').hidden"},
		{"edit", "/recipes/draft/edit", "document.querySelectorAll('#steps li').length === 2"},
		{"cook", "/cooks/grace", "document.querySelectorAll('#recipes .card').length === 2"},
		{"cook-own", "/cooks/ada", "document.querySelectorAll('#unpublished .card').length === 1 && document.querySelector('#recipes .status-bar')"},
		{"feed", "/feed", "document.querySelectorAll('#feed .card').length === 2"},
		{"inbox", "/inbox", "document.querySelectorAll('#notices li').length === 2"},
		{"account", "/account", "document.querySelector('#export-status a') && document.querySelectorAll('#reminder-list li').length === 1"},
		{"signin", "/signin", "document.querySelector('#account-link').innerText.includes('Ada')"},
		{"reset", "/reset?token=t", "!document.querySelector('#reset').hidden"},
		{"reset-bad", "/reset", "document.body.innerText.includes('not whole')"},
		{"unsubscribe", "/newsletter/unsubscribe?token=t", "!document.querySelector('#unsubscribe').hidden"},
		{"no-recipe", "/recipes/none", "document.body.innerText.includes('There is no such recipe')"},
		{"no-page", "/no/such/page", "document.querySelector('#account-link').innerText.includes('Ada')"},
	} {
		page.Visit(api.URL + visit.path)
		page.Wait(visit.ready)
		look(t, page, visit.name)
	}
	quiet(t, page, "404")
}
