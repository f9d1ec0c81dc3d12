package recipes_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// newest reads the whole list of the newest, and tells in how many pages.
func newest(t *testing.T, w *publishtest.World) (ids []string, pages int) {
	t.Helper()
	for after := ""; ; {
		page, err := w.Recipes.Recent(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, card := range page.Recipes {
			ids = append(ids, card.ID)
		}
		if after = page.Next; after == "" {
			return ids, pages
		}
	}
}

// The newest come first, across days, whether days are full or empty.
func TestRecent(t *testing.T) {
	w := world(t)
	var want []string
	for _, day := range []struct {
		published int
		then      time.Duration
	}{{30, 24 * time.Hour}, {1, 40 * 24 * time.Hour}, {24, time.Hour}, {2, 0}} {
		for i := range day.published {
			content := soup()
			content.Title = fmt.Sprintf("Soup %d", i)
			want = append([]string{w.Publish(content).ID}, want...)
			w.Kit.Advance(t.Context(), time.Second)
		}
		w.Kit.Advance(t.Context(), day.then)
	}
	got, pages := newest(t, w)
	if !slices.Equal(got, want) {
		t.Errorf("listed %d, want %d: %v", len(got), len(want), got)
	}
	if pages > 20 {
		t.Errorf("it took %d pages", pages)
	}
	w.Kit.Advance(t.Context(), 367*24*time.Hour)
	if got, _ := newest(t, w); len(got) != 0 {
		t.Errorf("a year later the newest are %v", got)
	}
}

func TestForeignCursors(t *testing.T) {
	w := world(t)
	for _, after := range []string{"x", "2026-13-01.", "2026-01-01.!", "9999-01-01.", ".", "2026-01-01"} {
		if _, err := w.Recipes.Recent(t.Context(), after); err != nil && !errors.Is(err, rows.ErrCursor) || err == nil && after != "2026-01-01" {
			t.Errorf("%q: %v", after, err)
		}
	}
}

// The author sees a recipe on the profile at once, with its honest state; others
// see it without, and no drafts.
func TestProfile(t *testing.T) {
	w := world(t)
	recipe, draft := w.Publish(soup()), drafted(t, w, soup())
	own, err := w.Recipes.Profile(t.Context(), ada, ada, "")
	if err != nil || len(own.Recipes) != 1 || len(own.Unpublished) != 1 || own.Unpublished[0].ID != draft.ID {
		t.Fatalf("%+v, %v", own, err)
	}
	want := recipes.Progress{
		Search: recipes.Queued, Feeds: recipes.Standing{Stage: recipes.Queued},
		Notices: recipes.Standing{Stage: recipes.Queued}, Spam: recipes.Queued,
	}
	if p := own.Recipes[0].Progress; p == nil || *p != want {
		t.Errorf("right after it is %+v", p)
	}
	tell := func(who recipes.Subscriber, s recipes.Standing) {
		t.Helper()
		if err := recipes.Tell(w.Table.Change(), recipe.ID, who, s).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tell(recipes.Search, recipes.Standing{Stage: recipes.Done, Version: 2})
	tell(recipes.Spam, recipes.Standing{Stage: recipes.Clear, Version: 1}) // of an earlier version
	tell(recipes.Feeds, recipes.Standing{Stage: recipes.Working, Version: 2, Reached: 1000, Of: 40_000})
	want.Search, want.Feeds = recipes.Done, recipes.Standing{Stage: recipes.Working, Version: 2, Reached: 1000, Of: 40_000}
	if v, err := w.Recipes.View(t.Context(), ada, recipe.ID); err != nil || *v.Progress != want {
		t.Errorf("later it is %+v, %v", v.Progress, err)
	}
	others, err := w.Recipes.Profile(t.Context(), "bob", ada, "")
	if err != nil || len(others.Recipes) != 1 || others.Recipes[0].Progress != nil || others.Unpublished != nil || others.Name != "Ada" {
		t.Errorf("Bob sees %+v, %v", others, err)
	}
	w.Kit.Advance(t.Context(), 2*time.Hour)
	if own, err = w.Recipes.Profile(t.Context(), ada, ada, ""); err != nil || own.Recipes[0].Progress != nil {
		t.Errorf("hours later: %+v, %v", own, err)
	}
}
