package recipes_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
)

func TestRatings(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	for _, c := range []struct {
		reader string
		stars  int
		want   recipes.Rating
	}{
		{"bob", 2, recipes.Rating{Average: 2, Count: 1, Mine: 2}},
		{"eve", 5, recipes.Rating{Average: 3.5, Count: 2, Mine: 5}},
		{"bob", 2, recipes.Rating{Average: 3.5, Count: 2, Mine: 2}}, // the answer to the first was lost
		{"bob", 4, recipes.Rating{Average: 4.5, Count: 2, Mine: 4}}, // another opinion moves the sum
	} {
		if got, err := w.Recipes.Rate(t.Context(), c.reader, recipe.ID, c.stars); got != c.want || err != nil {
			t.Errorf("%s gives %d: %+v, %v; want %+v", c.reader, c.stars, got, err, c.want)
		}
	}
	if v, err := w.Recipes.View(t.Context(), "", recipe.ID); err != nil || v.Rating != (recipes.Rating{Average: 4.5, Count: 2}) {
		t.Errorf("a stranger sees %+v, %v", v.Rating, err)
	}
	var bad *recipes.BadContent
	for _, stars := range []int{0, 6, -1} {
		if _, err := w.Recipes.Rate(t.Context(), "bob", recipe.ID, stars); !errors.As(err, &bad) {
			t.Errorf("%d stars: %v", stars, err)
		}
	}
	draft := drafted(t, w, soup())
	for _, id := range []string{draft.ID, "nothing"} {
		if _, err := w.Recipes.Rate(t.Context(), "bob", id, 3); !errors.Is(err, recipes.ErrNotFound) {
			t.Errorf("what Bob can't see: %v", err)
		}
	}
}

// However many vote at once, and whoever of them clicks twice or changes their
// mind, the sum is that of the votes.
func TestNobodyCountsTwice(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	var all sync.WaitGroup
	for i := range 20 {
		for _, stars := range []int{i%5 + 1, i%5 + 1} {
			all.Go(func() {
				if _, err := w.Recipes.Rate(t.Context(), fmt.Sprintf("reader %d", i), recipe.ID, stars); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if v, err := w.Recipes.View(t.Context(), "", recipe.ID); err != nil || v.Rating != (recipes.Rating{Average: 3, Count: 20}) {
		t.Errorf("%+v, %v", v.Rating, err)
	}
	all.Go(func() { rate(t, w.Recipes, "reader 0", recipe.ID, 5) })
	all.Go(func() { rate(t, w.Recipes, "reader 0", recipe.ID, 3) })
	all.Wait()
	v, err := w.Recipes.View(t.Context(), "reader 0", recipe.ID)
	want := float64(60-1+v.Rating.Mine) / 20
	if err != nil || v.Rating.Average != want || v.Rating.Count != 20 {
		t.Errorf("after two minds of one reader: %+v, %v; want an average of %v", v.Rating, err, want)
	}
}

func rate(t *testing.T, r *recipes.Recipes, reader, id string, stars int) {
	t.Helper()
	if _, err := r.Rate(t.Context(), reader, id, stars); err != nil {
		t.Error(err)
	}
}
