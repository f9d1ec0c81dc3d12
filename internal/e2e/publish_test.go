package e2e_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
)

// found gives the recipes that a search finds.
func (p *person) found(q string) []search.Found {
	p.t.Helper()
	return told[struct{ Recipes []search.Found }](p, http.StatusOK, "GET", "/api/search?q="+url.QueryEscape(q), nil).Recipes
}

// feed gives the newest of a reader's feed.
func (p *person) feed() []recipes.Card {
	p.t.Helper()
	return told[struct{ Recipes []recipes.Card }](p, http.StatusOK, "GET", "/api/feed", nil).Recipes
}

// inbox gives the newest of a reader's notices.
func (p *person) inbox() []notices.Notice {
	p.t.Helper()
	return told[struct{ Notices []notices.Notice }](p, http.StatusOK, "GET", "/api/inbox", nil).Notices
}

// progress tells how far a recipe's subscribers are.
func (p *person) progress(id string) recipes.Progress {
	p.t.Helper()
	view := told[recipes.View](p, http.StatusOK, "GET", "/api/recipes/"+id, nil)
	if view.Progress == nil {
		p.t.Fatalf("the author is told no progress of %s", id)
	}
	return *view.Progress
}

// TestPublishedToEverySubscriber: one event, and search, feeds, notices and spam check
// each do their work. Edits and the deletion follow in order.
func TestPublishedToEverySubscriber(t *testing.T) {
	cook, fan, other := newcomer(t, "Cook"), newcomer(t, "Fan"), newcomer(t, "Other")
	fan.does(http.StatusNoContent, "PUT", "/api/cooks/"+cook.reader.ID+"/follow", map[string]bool{"notify": true})
	other.does(http.StatusNoContent, "PUT", "/api/cooks/"+cook.reader.ID+"/follow", map[string]bool{"notify": false})

	recipe := cook.published(soup("Zucchini velouté"))
	until(t, "all subscribers", func() bool {
		p := cook.progress(recipe.ID)
		return p.Search == recipes.Done && p.Feeds.Stage == recipes.Done && p.Notices.Stage == recipes.Done && p.Spam == recipes.Clear
	})
	if p := cook.progress(recipe.ID); p.Feeds.Reached != 2 || p.Notices.Reached != 1 {
		t.Errorf("the progress is %+v", p)
	}
	if got := nobody(t).found("VELOUTE zucchinis"); len(got) != 1 || got[0].ID != recipe.ID || got[0].Score <= 0 {
		t.Errorf("a search finds %+v", got)
	}
	for _, reader := range []*person{fan, other} {
		if got := reader.feed(); len(got) != 1 || got[0].ID != recipe.ID || got[0].Minutes != 30 {
			t.Errorf("%s's feed is %+v", reader.reader.Name, got)
		}
	}
	checkInbox(t, fan, recipe)
	if got := other.inbox(); len(got) != 0 {
		t.Errorf("who asked for no notices got %+v", got)
	}

	path := "/api/recipes/" + recipe.ID
	for range 3 {
		recipe = told[recipes.Recipe](cook, http.StatusOK, "PUT", path, recipes.Edited{Version: recipe.Version, Written: soup("Aubergine velouté")})
	}
	until(t, "the edit in search and feeds", func() bool {
		feed := fan.feed()
		return len(fan.found("aubergine")) == 1 && len(fan.found("zucchini")) == 0 && len(feed) == 1 && feed[0].Title == "Aubergine velouté"
	})
	cook.does(http.StatusNoContent, "DELETE", path, nil)
	until(t, "the deletion in search and feeds", func() bool {
		return len(fan.found("velouté")) == 0 && len(fan.feed()) == 0 && len(other.feed()) == 0
	})
}

// checkInbox looks at the notice of a new recipe, and marks it as read.
func checkInbox(t *testing.T, fan *person, recipe recipes.Recipe) {
	t.Helper()
	list := fan.inbox()
	if len(list) != 1 || list[0].Kind != "published" || list[0].Link != "/recipes/"+recipe.ID || list[0].Read || list[0].Text == "" {
		t.Errorf("the inbox is %+v", list)
	}
	if me := told[readers.Me](fan, http.StatusOK, "GET", "/api/me", nil); me.Unread != 1 {
		t.Errorf("%d notices are unread", me.Unread)
	}
	fan.does(http.StatusNoContent, "POST", "/api/inbox/read", nil)
	if me := told[readers.Me](fan, http.StatusOK, "GET", "/api/me", nil); me.Unread != 0 || !fan.inbox()[0].Read {
		t.Errorf("after reading: %+v, %+v", me, fan.inbox())
	}
}

// TestSpamIsHeld: what the check takes for spam disappears for all but its author, who
// is told why; an edited version is checked again.
func TestSpamIsHeld(t *testing.T) {
	cook, fan := newcomer(t, "Cook"), newcomer(t, "Fan")
	fan.does(http.StatusNoContent, "PUT", "/api/cooks/"+cook.reader.ID+"/follow", map[string]bool{"notify": true})
	spam := soup("Courgette gratin")
	spam.Summary = "Buy now, click here, act now: https://a.example https://b.example"
	recipe := cook.published(spam)
	path := "/api/recipes/" + recipe.ID
	until(t, "the spam check", func() bool { return cook.progress(recipe.ID).Spam == recipes.OnHold })
	until(t, "search and feed without spam", func() bool { return len(fan.found("courgette gratin")) == 0 && len(fan.feed()) == 0 })
	fan.does(http.StatusNotFound, "GET", path, nil)
	if list := cook.inbox(); len(list) != 1 || list[0].Kind != "held" {
		t.Errorf("the author is told %+v", list)
	}

	held := told[recipes.View](cook, http.StatusOK, "GET", path, nil)
	told[recipes.Recipe](cook, http.StatusOK, "PUT", path, recipes.Edited{Version: held.Version, Written: soup("Courgette gratin")})
	until(t, "the cleared recipe", func() bool {
		return cook.progress(recipe.ID).Spam == recipes.Clear && len(fan.found("courgette gratin")) == 1 && len(fan.feed()) == 1
	})
	fan.does(http.StatusOK, "GET", path, nil)
}

// TestBadSearches are answered with what is wrong.
func TestBadSearches(t *testing.T) {
	for _, query := range []string{"", "?q=", "?q=the", "?q=soup&after=nowhere"} {
		nobody(t).does(http.StatusBadRequest, "GET", "/api/search"+query, nil)
	}
	for _, path := range []string{"/api/feed", "/api/inbox"} {
		nobody(t).does(http.StatusUnauthorized, "GET", path, nil)
	}
}
