package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An object is JSON.
type object = map[string]any

// A fakeCrumb is what the pages ask /api for: one reader at a time, everything in
// memory. Work that takes its time goes on when a test says so.
type fakeCrumb struct {
	me        string // who is signed in; "" nobody
	names     map[string]string
	recipes   map[string]object // by id
	order     []string          // of recipes, the newest last
	following map[string]bool
	reminders []object
	notices   []object
	export    object
	imports   object
	pdf       object
	reset     string   // the password that was set
	calls     []string // "PUT /api/recipes/soup/rating {…}"
}

// noon is the time at which everything in the tests happens.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func at(minutes int) string {
	return noon.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339)
}

func newCrumb() fakeCrumb {
	c := fakeCrumb{names: map[string]string{"ada": "Ada", "grace": "Grace Hopper"}, recipes: map[string]object{}, following: map[string]bool{}}
	c.add("soup", "grace", "Tomato soup with bread that was too old for anything else")
	c.add("evil", "grace", `<img src=x onerror="document.title='owned'">`)
	c.add("cake", "ada", "Plum cake")
	c.reminders = []object{{"id": "rem1", "recipe": "soup", "title": "Tomato soup", "at": at(60 * 24 * 30)}}
	c.notices = []object{
		{"id": "n1", "kind": "recipe", "text": "Grace Hopper published Tomato soup", "link": "/recipes/soup", "at": at(0), "read": false},
		{"id": "n2", "kind": "reminder", "text": "You wanted to be reminded of Plum cake", "link": "javascript:alert(1)", "at": at(-60), "read": true},
	}
	return c
}

// add publishes a recipe of which everybody knows already.
func (c *fakeCrumb) add(id, author, title string) {
	c.recipes[id] = object{
		"id": id, "state": "published", "version": 2, "author": author, "author_name": c.names[author], "title": title,
		"summary": "What there is, warm.", "servings": 4, "ingredients": []string{"6 tomatoes", "half a loaf"},
		"steps": []object{{"text": "Fry the bread.", "minutes": 5}, {"text": "Add the rest and wait.", "minutes": 40}},
		"tags":  []string{"soup"}, "total_minutes": 45, "published_at": at(-len(c.order)), "changed_at": at(-len(c.order)),
		"rating": object{"average": 4.5, "count": 2, "mine": 0}, "saved": false,
		"progress": progress("done", "done", 2, 2, "clear"),
	}
	c.order = append(c.order, id)
}

func progress(search, feeds string, reached, of int, spam string) object {
	standing := object{"state": feeds, "reached": reached, "of": of}
	return object{"search": search, "feeds": standing, "notices": standing, "spam": spam}
}

// cards gives what lists show of the published recipes that are meant.
func (c *fakeCrumb) cards(meant func(object) bool) []object {
	cards := []object{}
	for _, id := range slices.Backward(c.order) {
		r := c.recipes[id]
		if r == nil || !meant(r) {
			continue
		}
		card := object{"id": id, "minutes": r["total_minutes"]}
		for _, name := range []string{"title", "summary", "author", "author_name", "photo_key", "published_at"} {
			card[name] = r[name]
		}
		cards = append(cards, card)
	}
	return cards
}

func published(r object) bool { return r["state"] == "published" }

// handle adds a route that is called under the lock, noted down, and subject to the
// fates.
func (f *fakeAPI) handle(mux *http.ServeMux, pattern string, h func(w http.ResponseWriter, r *http.Request, body object)) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if gate := f.slow[pattern]; gate != nil {
			<-gate
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		body := object{}
		if r.ContentLength > 0 && !decode(w, r, &body) {
			return
		}
		f.crumb.calls = append(f.crumb.calls, strings.TrimSpace(fmt.Sprintf("%s %s %v", r.Method, r.URL.Path, body)))
		if fate := f.fates[pattern]; fate.times > 0 {
			fate.times--
			f.fates[pattern] = fate
			if fate.retryAfter > 0 {
				w.Header().Set("Retry-After", fmt.Sprint(fate.retryAfter))
			}
			problem(w, fate.status, fate.detail)
			return
		}
		h(w, r, body)
	})
}

// member is handle for readers who are signed in.
func (f *fakeAPI) member(mux *http.ServeMux, pattern string, h func(w http.ResponseWriter, r *http.Request, body object)) {
	f.handle(mux, pattern, func(w http.ResponseWriter, r *http.Request, body object) {
		if f.crumb.me == "" {
			problem(w, http.StatusUnauthorized, "sign in first, or again: you are not signed in")
			return
		}
		h(w, r, body)
	})
}

// called counts the calls that begin like this.
func (f *fakeAPI) called(prefix string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.crumb.calls {
		if strings.HasPrefix(call, prefix) {
			n++
		}
	}
	return n
}
