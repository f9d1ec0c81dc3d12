package recipes_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// An interloper changes something right after a row was read: whoever read it acts
// on what is no longer so.
type interloper struct {
	store.Driver
	partition string
	act       func()
}

func (i *interloper) Get(ctx context.Context, key store.Item) (store.Item, error) {
	item, err := i.Driver.Get(ctx, key)
	if at, ok := key[store.PartitionKey].(*types.AttributeValueMemberS); ok && at.Value == i.partition && i.act != nil {
		act := i.act
		i.act = nil
		act()
	}
	return item, err
}

// disturbed is the world's recipes, with somebody who acts once when a row of the
// partition was read.
func disturbed(t *testing.T, w *publishtest.World, partition string, act func()) *recipes.Recipes {
	t.Helper()
	table, err := rows.New(&interloper{w.Kit.Table(rowstest.Name), partition, act}, rowstest.Name, w.Kit.Jobs)
	if err != nil {
		t.Fatal(err)
	}
	config := w.Recipes.Config
	config.Table = table
	r, err := recipes.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTwoVotesOfOneReaderAtOnce(t *testing.T) {
	for _, before := range []int{0, 2} {
		w := world(t)
		recipe := w.Publish(soup())
		if before > 0 {
			rate(t, w.Recipes, "bob", recipe.ID, before)
		}
		r := disturbed(t, w, recipes.VotesOf("bob"), func() { rate(t, w.Recipes, "bob", recipe.ID, 5) })
		got, err := r.Rate(t.Context(), "bob", recipe.ID, 3)
		if want := (recipes.Rating{Average: 3, Count: 1, Mine: 3}); got != want || err != nil {
			t.Errorf("after %d: %+v, %v, want %+v", before, got, err, want)
		}
	}
}

func TestAVoteForWhatIsJustDeleted(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	r := disturbed(t, w, recipes.VotesOf("bob"), func() { w.Delete(recipe) })
	if _, err := r.Rate(t.Context(), "bob", recipe.ID, 3); !errors.Is(err, recipes.ErrNotFound) {
		t.Error(err)
	}
	if n := w.Rows("ratings#"); n != 0 {
		t.Errorf("%d votes are left", n)
	}
}

func TestChangesThatOthersOvertake(t *testing.T) {
	for name, c := range map[string]struct {
		first func(*testing.T, *publishtest.World, recipes.Recipe)
		then  func(context.Context, *recipes.Recipes, string) error
		state recipes.State
	}{
		"an edit, by the spam check": {
			func(t *testing.T, w *publishtest.World, r recipes.Recipe) {
				if err := recipes.Hold(w.Table.Change(), r).Apply(t.Context()); err != nil {
					t.Error(err)
				}
			},
			func(ctx context.Context, r *recipes.Recipes, id string) error {
				_, err := r.Edit(ctx, ada, id, 2, recipes.Written{Content: soup()})
				return err
			},
			recipes.Held,
		},
		"an edit, by another": {
			func(t *testing.T, w *publishtest.World, r recipes.Recipe) {
				w.Edit(r, publishtest.Content("Leek soup"))
			},
			func(ctx context.Context, r *recipes.Recipes, id string) error {
				_, err := r.Edit(ctx, ada, id, 2, recipes.Written{Content: soup()})
				return err
			},
			recipes.Published,
		},
	} {
		w := world(t)
		recipe := w.Publish(soup())
		r := disturbed(t, w, recipes.Key(recipe.ID).Partition, func() { c.first(t, w, recipe) })
		var conflict *recipes.ConflictError
		if err := c.then(t.Context(), r, recipe.ID); !errors.As(err, &conflict) || conflict.Current.State != c.state {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A draft that is edited just when it is published is not published as it was.
func TestAnEditOvertakesThePublication(t *testing.T) {
	w := world(t)
	draft := drafted(t, w, soup())
	r := disturbed(t, w, recipes.Key(draft.ID).Partition, func() { w.Edit(draft, publishtest.Content("Leek soup")) })
	var conflict *recipes.ConflictError
	if _, err := r.Publish(t.Context(), ada, draft.ID); !errors.As(err, &conflict) || conflict.Current.Title != "Leek soup" {
		t.Error(err)
	}
	nightshifttest.WantPublished(w.Kit, tasks.RecipePublished)
}

// What was changed just now is deleted all the same, from the lists that it is in by
// then.
func TestAHoldOvertakesTheDeletion(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	r := disturbed(t, w, recipes.Key(recipe.ID).Partition, func() {
		if err := recipes.Hold(w.Table.Change(), recipe).Apply(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := r.Delete(t.Context(), ada, recipe.ID); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"recipe#", "author#", "recent#", "unpublished#"} {
		if n := w.Rows(prefix); n != 0 {
			t.Errorf("%d rows of %s are left", n, prefix)
		}
	}
}
