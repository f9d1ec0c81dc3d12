package web_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// routes are those of /api and of exports.
func (f *fakeAPI) routes(mux *http.ServeMux) {
	f.accounts(mux)
	f.lists(mux)
	f.writing(mux)
	f.opinions(mux)
	f.lasting(mux)
}

func (f *fakeAPI) accounts(mux *http.ServeMux) {
	c := &f.crumb
	enter := func(w http.ResponseWriter, _ *http.Request, body object) {
		if body["password"] == "wrong password" {
			problem(w, http.StatusUnauthorized, "the e-mail address or the password is wrong")
			return
		}
		c.me = "ada"
		answer(w, http.StatusOK, object{"id": c.me, "name": "Ada"})
	}
	f.handle(mux, "POST /api/sessions", enter)
	f.handle(mux, "POST /api/readers", enter)
	f.handle(mux, "DELETE /api/sessions", func(w http.ResponseWriter, _ *http.Request, _ object) {
		c.me = ""
		w.WriteHeader(http.StatusNoContent)
	})
	f.member(mux, "GET /api/me", func(w http.ResponseWriter, _ *http.Request, _ object) {
		unread := 0
		for _, n := range c.notices {
			if n["read"] == false {
				unread++
			}
		}
		answer(w, http.StatusOK, object{"id": c.me, "name": c.names[c.me], "email": "ada@example.com", "newsletter": true, "unread": unread})
	})
	f.handle(mux, "POST /api/password-resets", func(w http.ResponseWriter, _ *http.Request, _ object) { w.WriteHeader(http.StatusAccepted) })
	f.handle(mux, "POST /api/password-resets/{token}", func(w http.ResponseWriter, _ *http.Request, body object) {
		c.reset = fmt.Sprint(body["password"])
		w.WriteHeader(http.StatusNoContent)
	})
	f.member(mux, "PUT /api/me/newsletter", done)
	f.handle(mux, "POST /api/newsletter/unsubscribe", done)
}

func done(w http.ResponseWriter, _ *http.Request, _ object) { w.WriteHeader(http.StatusNoContent) }

func (f *fakeAPI) lists(mux *http.ServeMux) {
	c := &f.crumb
	list := func(meant func(*http.Request, object) bool) func(http.ResponseWriter, *http.Request, object) {
		return func(w http.ResponseWriter, r *http.Request, _ object) {
			answer(w, http.StatusOK, page(r, c.cards(func(o object) bool { return published(o) && meant(r, o) })))
		}
	}
	f.handle(mux, "GET /api/recipes", list(func(*http.Request, object) bool { return true }))
	f.handle(mux, "GET /api/search", list(func(r *http.Request, o object) bool {
		return strings.Contains(strings.ToLower(fmt.Sprint(o["title"])), strings.ToLower(r.URL.Query().Get("q")))
	}))
	f.member(mux, "GET /api/feed", list(func(_ *http.Request, o object) bool { return c.following[fmt.Sprint(o["author"])] }))
	f.handle(mux, "GET /api/trending", func(w http.ResponseWriter, _ *http.Request, _ object) {
		answer(w, http.StatusOK, object{"as_of": at(0), "recipes": c.cards(published)})
	})
	f.member(mux, "GET /api/inbox", func(w http.ResponseWriter, _ *http.Request, _ object) {
		answer(w, http.StatusOK, object{"notices": c.notices, "next": ""})
	})
	f.member(mux, "POST /api/inbox/read", func(w http.ResponseWriter, _ *http.Request, _ object) {
		for _, n := range c.notices {
			n["read"] = true
		}
		w.WriteHeader(http.StatusNoContent)
	})
	f.handle(mux, "GET /api/cooks/{id}", func(w http.ResponseWriter, r *http.Request, _ object) {
		id := r.PathValue("id")
		by := func(o object) bool { return o["author"] == id }
		profile := page(r, c.cards(func(o object) bool { return published(o) && by(o) }))
		maps.Copy(profile, object{"id": id, "name": c.names[id], "followers": 1200, "following": c.following[id]})
		if id == c.me {
			for _, card := range profile["recipes"].([]object) {
				card["progress"] = c.recipes[fmt.Sprint(card["id"])]["progress"]
			}
			profile["unpublished"] = c.cards(func(o object) bool { return !published(o) && by(o) })
		}
		answer(w, http.StatusOK, profile)
	})
	f.member(mux, "PUT /api/cooks/{id}/follow", func(w http.ResponseWriter, r *http.Request, _ object) {
		c.following[r.PathValue("id")] = true
		w.WriteHeader(http.StatusNoContent)
	})
	f.member(mux, "DELETE /api/cooks/{id}/follow", func(w http.ResponseWriter, r *http.Request, _ object) {
		delete(c.following, r.PathValue("id"))
		w.WriteHeader(http.StatusNoContent)
	})
}

// page cuts a page of twelve out of a list.
func page(r *http.Request, cards []object) object {
	const most = 12
	from := 0
	if _, err := fmt.Sscan(r.URL.Query().Get("after"), &from); err != nil || from > len(cards) {
		from = 0
	}
	next := ""
	if len(cards) > from+most {
		next = fmt.Sprint(from + most)
		return object{"recipes": cards[from : from+most], "next": next}
	}
	return object{"recipes": cards[from:], "next": next}
}

func (f *fakeAPI) writing(mux *http.ServeMux) {
	c := &f.crumb
	f.handle(mux, "GET /api/recipes/{id}", func(w http.ResponseWriter, r *http.Request, _ object) {
		found, ok := c.recipes[r.PathValue("id")]
		if !ok {
			problem(w, http.StatusNotFound, "there is no such recipe")
			return
		}
		seen := maps.Clone(found)
		if found["author"] != c.me || found["state"] == "draft" {
			delete(seen, "progress")
		}
		answer(w, http.StatusOK, seen)
	})
	f.member(mux, "POST /api/recipes", func(w http.ResponseWriter, r *http.Request, body object) {
		id := fmt.Sprintf("new%d", len(c.order))
		c.add(id, c.me, fmt.Sprint(body["title"]))
		maps.Copy(c.recipes[id], body)
		maps.Copy(c.recipes[id], object{"state": "draft", "version": 1, "progress": progress("queued", "queued", 0, 0, "queued")})
		if body["photo_key"] != nil {
			c.recipes[id]["photo"] = object{"state": "working", "sizes": []object{{"name": "thumb"}}}
		}
		answer(w, http.StatusCreated, c.recipes[id])
	})
	f.member(mux, "PUT /api/recipes/{id}", func(w http.ResponseWriter, r *http.Request, body object) {
		recipe := c.recipes[r.PathValue("id")]
		if fmt.Sprint(recipe["version"]) != fmt.Sprint(body["version"]) {
			problem(w, http.StatusConflict, "the recipe was changed meanwhile")
			return
		}
		version := recipe["version"].(int)
		maps.Copy(recipe, body)
		recipe["version"] = version + 1
		answer(w, http.StatusOK, recipe)
	})
	f.member(mux, "DELETE /api/recipes/{id}", func(w http.ResponseWriter, r *http.Request, _ object) {
		delete(c.recipes, r.PathValue("id"))
		w.WriteHeader(http.StatusNoContent)
	})
	f.member(mux, "POST /api/recipes/{id}/publish", func(w http.ResponseWriter, r *http.Request, _ object) {
		recipe := c.recipes[r.PathValue("id")]
		recipe["state"], recipe["version"] = "published", recipe["version"].(int)+1
		answer(w, http.StatusAccepted, object{"recipe": recipe, "progress": recipe["progress"]})
	})
}

func (f *fakeAPI) opinions(mux *http.ServeMux) {
	c := &f.crumb
	f.member(mux, "PUT /api/recipes/{id}/rating", func(w http.ResponseWriter, _ *http.Request, body object) {
		answer(w, http.StatusOK, object{"average": 4.3, "count": 3, "mine": body["stars"]})
	})
	f.member(mux, "PUT /api/recipes/{id}/save", done)
	f.member(mux, "DELETE /api/recipes/{id}/save", done)
	f.handle(mux, "POST /api/recipes/{id}/views", done)
	f.member(mux, "GET /api/reminders", func(w http.ResponseWriter, _ *http.Request, _ object) {
		answer(w, http.StatusOK, object{"reminders": c.reminders})
	})
	f.member(mux, "POST /api/recipes/{id}/reminders", func(w http.ResponseWriter, r *http.Request, _ object) {
		made := object{"id": "rem2", "recipe": r.PathValue("id"), "title": "Tomato soup", "at": at(60 * 24 * 30)}
		c.reminders = append(c.reminders, made)
		answer(w, http.StatusAccepted, made)
	})
	f.member(mux, "PUT /api/reminders/{id}", done)
	f.member(mux, "DELETE /api/reminders/{id}", func(w http.ResponseWriter, r *http.Request, _ object) {
		c.reminders = slices.DeleteFunc(c.reminders, func(o object) bool { return o["id"] == r.PathValue("id") })
		w.WriteHeader(http.StatusNoContent)
	})
}

// lasting are the routes behind which work takes its time.
func (f *fakeAPI) lasting(mux *http.ServeMux) {
	c := &f.crumb
	f.member(mux, "POST /exports", func(w http.ResponseWriter, _ *http.Request, _ object) {
		c.export = object{"id": "exp1", "state": "queued", "created_at": at(0)}
		w.Header().Set("Location", "/exports/exp1")
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusAccepted, c.export)
	})
	f.member(mux, "GET /exports/{id}", func(w http.ResponseWriter, r *http.Request, _ object) { state(w, r, c.export) })
	f.member(mux, "GET /api/exports", func(w http.ResponseWriter, _ *http.Request, _ object) {
		if c.export == nil {
			problem(w, http.StatusNotFound, "you have asked for no export yet")
			return
		}
		answer(w, http.StatusOK, c.export)
	})
	f.member(mux, "POST /api/recipes/{id}/pdf", func(w http.ResponseWriter, _ *http.Request, _ object) {
		c.pdf = object{"id": "pdf1", "state": "queued", "attempts": 0, "max_attempts": 5}
		w.Header().Set("Location", "/jobs/pdf1")
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusAccepted, c.pdf)
	})
	f.handle(mux, "GET /jobs/pdf1", func(w http.ResponseWriter, r *http.Request, _ object) { state(w, r, c.pdf) })
	f.member(mux, "POST /api/imports", func(w http.ResponseWriter, _ *http.Request, _ object) {
		c.imports = object{"id": "imp1", "state": "queued", "lines": 0, "done": 0, "imported": 0, "bad": []object{}}
		w.Header().Set("Location", "/api/imports/imp1")
		answer(w, http.StatusAccepted, c.imports)
	})
	f.member(mux, "GET /api/imports/{id}", func(w http.ResponseWriter, r *http.Request, _ object) { state(w, r, c.imports) })
}

// state answers with how work fares that a page follows.
func state(w http.ResponseWriter, r *http.Request, work object) {
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(fmt.Sprint(work))))
	w.Header().Set("ETag", etag)
	if work["state"] == "queued" || work["state"] == "running" {
		w.Header().Set("Retry-After", "1")
	}
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	answer(w, http.StatusOK, work)
}
