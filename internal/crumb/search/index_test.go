package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
)

// world is a site with a search index.
func world(t *testing.T, config nightshifttest.Config) (*publishtest.World, *search.Index) {
	t.Helper()
	w := publishtest.New(t, config)
	index, err := search.New(w.Table, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(tasks.SearchHears, index.Follow)
	return w, index
}

// find gives the titles of everything that is found.
func find(t *testing.T, index *search.Index, q string) (titles []string) {
	t.Helper()
	for after := ""; ; {
		found, next, err := index.Search(t.Context(), q, after)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			titles = append(titles, f.Title)
		}
		if after = next; after == "" {
			return titles
		}
	}
}

func wantFound(t *testing.T, index *search.Index, q string, want ...string) {
	t.Helper()
	if got := find(t, index, q); !slices.Equal(got, want) {
		t.Errorf("%q finds %q, want %q", q, got, want)
	}
}

func TestWhatIsPublishedIsFound(t *testing.T) {
	for seed := range uint64(5) {
		w, index := world(t, nightshifttest.Config{Seed: seed, Duplicates: true, Shuffle: true})
		soup := w.Publish(publishtest.Content("Tomato soup", "2 onions", "Fry the onions."))
		w.Publish(publishtest.Content("Fried onions", "onions", "Fry until brown."))
		gone := w.Publish(publishtest.Content("Onion cake", "onions", "Bake."))
		edited := w.Edit(soup, publishtest.Content("Carrot soup", "3 carrots", "Boil the carrots."))
		w.Delete(gone)
		w.Kit.RunAll(t.Context())

		wantFound(t, index, "soup", "Carrot soup")
		wantFound(t, index, "tomatoes")
		wantFound(t, index, "Carrots!", "Carrot soup")
		wantFound(t, index, "onion", "Fried onions")
		wantFound(t, index, "cake")
		if progress, err := recipes.ProgressOf(t.Context(), w.Table, edited); err != nil || progress.Search != recipes.Done {
			t.Errorf("the progress is %v, %v", progress, err)
		}
		w.Delete(edited)
		w.Kit.RunAll(t.Context())
		wantFound(t, index, "soup")
		wantFound(t, index, "onion", "Fried onions")
		if n := w.Rows("indexed#"); n != 1 {
			t.Errorf("%d recipes are in the index, want one", n)
		}
	}
}

// TestLongRecipesContinue: what does not fit into one transaction takes several, and
// nothing is left of what an edit took away, wherever processes die.
func TestLongRecipesContinue(t *testing.T) {
	w, index := world(t, nightshifttest.Config{Duplicates: true})
	// lines are ingredients with the words from..to, fifteen in each.
	lines := func(from, to int) (all []string) {
		for ; from < to; from += 15 {
			var words []string
			for i := from; i < min(from+15, to); i++ {
				words = append(words, fmt.Sprintf("word%dx", i))
			}
			all = append(all, strings.Join(words, " "))
		}
		return all
	}
	recipe := w.Publish(publishtest.Content("Long", lines(0, 200)...))
	w.Kit.RunAll(t.Context())
	wantFound(t, index, "word199x", "Long")
	if n := w.Rows("word#"); n != 202 { // with "long" and "water"
		t.Errorf("%d entries are in the index", n)
	}
	recipe = w.Edit(recipe, publishtest.Content("Longer", lines(150, 350)...))
	w.Kit.RunAll(t.Context())
	wantFound(t, index, "word149x")
	wantFound(t, index, "word349x", "Longer")
	recipe = w.Edit(recipe, publishtest.Content("Very long", lines(0, 200)...))
	recipe = w.Edit(recipe, publishtest.Content("Endless", lines(20, 430)...))
	w.Kit.RunAll(t.Context())
	if n := w.Rows("word#"); n != 250 {
		t.Errorf("%d entries are in the index, want the heaviest 250", n)
	}
	w.Delete(recipe)
	w.Kit.RunAll(t.Context())
	if n := w.Rows("word#") + w.Rows("indexed#"); n != 0 {
		t.Errorf("%d rows are left of a deleted recipe", n)
	}
}

// TestHeldRecipesAreNotFound: what the spam check holds can't be found until it is
// released, at the same version.
func TestHeldRecipesAreNotFound(t *testing.T) {
	w, index := world(t, nightshifttest.Config{})
	recipe := w.Publish(publishtest.Content("Suspicious soup"))
	w.Kit.RunAll(t.Context())
	become := func(change func(*rows.Changes, recipes.Recipe) *rows.Changes, event job.Event[tasks.RecipeChange]) {
		t.Helper()
		happened := outbox.Publish(recipe.Turned().Happened(event))
		if err := change(w.Table.Change(), recipe).Transact(t.Context(), w.Kit.Outbox, happened); err != nil {
			t.Fatal(err)
		}
		w.Kit.RunAll(t.Context())
	}
	become(recipes.Hold, tasks.RecipeWithheld)
	wantFound(t, index, "soup")
	become(recipes.Release, tasks.RecipeCleared)
	wantFound(t, index, "soup", "Suspicious soup")
}

// TestLateEventsChangeNothing: an old event that comes again finds the recipe as it
// is.
func TestLateEventsChangeNothing(t *testing.T) {
	w, index := world(t, nightshifttest.Config{})
	first := w.Publish(publishtest.Content("Old title"))
	w.Edit(first, publishtest.Content("New title"))
	deleted := w.Publish(publishtest.Content("Deleted"))
	w.Delete(deleted)
	w.Kit.RunAll(t.Context())
	for _, late := range []recipes.Recipe{first, deleted} {
		again := outbox.Publish(late.Change().Happened(tasks.RecipePublished))
		if err := w.Kit.Outbox.Transact(t.Context(), again); err != nil {
			t.Fatal(err)
		}
	}
	w.Kit.RunAll(t.Context())
	wantFound(t, index, "old")
	wantFound(t, index, "title", "New title")
	wantFound(t, index, "deleted")
}

func TestRanking(t *testing.T) {
	w, index := world(t, nightshifttest.Config{})
	w.Publish(publishtest.Content("Bread", "flour", "salt", "Serve with soup."))
	w.Publish(publishtest.Content("Soup", "onion", "Cook."))
	w.Publish(publishtest.Content("Onion soup", "onion", "Cook the soup."))
	w.Publish(publishtest.Content("Saffron rice", "rice", "saffron", "Cook."))
	w.Kit.RunAll(t.Context())
	wantFound(t, index, "soup", "Onion soup", "Soup", "Bread")
	wantFound(t, index, "onion soup", "Onion soup", "Soup", "Bread")
	wantFound(t, index, "saffron soup", "Saffron rice", "Onion soup", "Soup", "Bread")
}

func TestBadQueries(t *testing.T) {
	_, index := world(t, nightshifttest.Config{})
	for q, says := range map[string]string{
		"": "q is missing", "the of": "no word", "2 cups": "no word", "!": "no word", "a\xff": "UTF-8", strings.Repeat("a", 201): "201 bytes",
		"one1x two2x three3x four4x five5x six6x seven7x eight8x nine9x": "9 words",
	} {
		var bad *search.BadQuery
		if _, _, err := index.Search(context.Background(), q, ""); !errors.As(err, &bad) || !strings.Contains(bad.Detail, says) {
			t.Errorf("%q: %v, want it to say %q", q, err, says)
		}
	}
	for _, after := range []string{"!", "AAAA", "MSAyIGE=", "LTEgMSBh"} {
		if _, _, err := index.Search(context.Background(), "soup", after); !errors.Is(err, rows.ErrCursor) {
			t.Errorf("the cursor %q: %v", after, err)
		}
	}
}

// TestCommonWords: of a word that many recipes have the heaviest are read, and a
// rarer word beside it decides.
func TestCommonWords(t *testing.T) {
	w, index := world(t, nightshifttest.Config{Most: 100_000})
	for i := range 320 {
		w.Publish(publishtest.Content(fmt.Sprintf("Salt dish%dx", i), "Stir."))
	}
	w.Publish(publishtest.Content("Rare bird", "partridge", "Salt it."))
	w.Kit.RunAll(t.Context())
	if n := len(find(t, index, "salt")); n != 300 {
		t.Errorf("a common word finds %d recipes, want the heaviest 300", n)
	}
	if got := find(t, index, "salt partridge"); len(got) != 301 || got[0] != "Rare bird" {
		t.Errorf("%d were found, the first is %q", len(got), got[:1])
	}
	wantFound(t, index, "dish7x", "Salt dish7x")
}
