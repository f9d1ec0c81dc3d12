package search_test

import (
	"context"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A hooked table has something happen once a recipe was read.
type hooked struct {
	store.Driver
	then func(recipe store.Item)
}

func (h *hooked) Get(ctx context.Context, key store.Item) (store.Item, error) {
	item, err := h.Driver.Get(ctx, key)
	if then := h.then; then != nil && item != nil && rowstest.Partition(item)[:6] == "recipe" {
		h.then = nil
		then(item)
	}
	return item, err
}

// TestAnotherJobOfTheRecipe: should two jobs of one recipe run at once after all, the
// second does not overwrite what the first says is indexed: it is tried again, and
// nothing is left that nobody knows of.
func TestAnotherJobOfTheRecipe(t *testing.T) {
	w := publishtest.New(t, nightshifttest.Config{})
	driver := &hooked{Driver: w.Kit.Table(rowstest.Name)}
	table, err := rows.New(driver, rowstest.Name, w.Kit.Jobs)
	if err != nil {
		t.Fatal(err)
	}
	index, err := search.New(table, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(tasks.SearchHears, index.Follow)
	recipe := w.Publish(publishtest.Content("Soup"))
	driver.then = func(store.Item) {
		other := w.Table.Change().
			Put(rows.Key{Partition: "word#ghost", Sort: "008#" + recipe.ID}, struct {
				Card   recipes.Card `dynamodbav:"card"`
				Weight int          `dynamodbav:"weight"`
			}{recipe.Card(), 8}, "", nil).
			Put(rows.Key{Partition: "indexed#" + recipe.ID, Sort: "indexed"}, struct {
				Entries  map[string]int `dynamodbav:"entries"`
				Revision int            `dynamodbav:"revision"`
			}{map[string]int{"008 ghost": 1}, 1}, "", nil)
		if err := other.Apply(t.Context()); err != nil {
			t.Error(err)
		}
	}
	w.Kit.RunAll(t.Context())
	wantFound(t, index, "ghost")
	wantFound(t, index, "soup", "Soup")
	if n := w.Rows("word#ghost"); n != 0 || driver.then != nil {
		t.Errorf("%d entries are left that nobody knows of", n)
	}
}
