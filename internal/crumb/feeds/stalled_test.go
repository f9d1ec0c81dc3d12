package feeds_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A stalling table's process stands still before its first write of a feed, while
// something else happens.
type stalling struct {
	store.Driver
	meanwhile func()
}

func (s *stalling) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if meanwhile := s.meanwhile; meanwhile != nil && strings.HasPrefix(rowstest.Partition(w.Item), "feed#") {
		s.meanwhile = nil
		meanwhile()
	}
	return s.Driver.Write(ctx, w)
}

// TestAWalkThatStalls: a process has read the recipe and stands still, while the
// recipe is changed and that has been walked. What it writes then is too late.
func TestAWalkThatStalls(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *publishtest.World, r recipes.Recipe) tasks.RecipeChange
		want   string
	}{
		"edited": {func(w *publishtest.World, r recipes.Recipe) tasks.RecipeChange {
			return w.Edit(r, publishtest.Content("New")).Change()
		}, "New"},
		"deleted": {func(w *publishtest.World, r recipes.Recipe) tasks.RecipeChange {
			w.Delete(r)
			gone := r.Change()
			gone.Version++
			return gone
		}, ""},
		"held": {func(w *publishtest.World, r recipes.Recipe) tasks.RecipeChange {
			if err := recipes.Hold(w.Table.Change(), r).Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			return r.Turned()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := publishtest.New(t, nightshifttest.Config{})
			w.Follow(1, 0)
			driver := &stalling{Driver: w.Kit.Table(rowstest.Name)}
			table, err := rows.New(driver, rowstest.Name, w.Kit.Jobs)
			if err != nil {
				t.Fatal(err)
			}
			f, err := feeds.New(table, w.Kit.Now)
			if err != nil {
				t.Fatal(err)
			}
			walk := func(change tasks.RecipeChange) {
				t.Helper()
				if err := f.Follow(t.Context(), job.New(job.Job[tasks.RecipeChange]{Args: change}, job.Internals{})); err != nil {
					t.Fatal(err)
				}
			}
			recipe := w.Publish(publishtest.Content("Old"))
			driver.meanwhile = func() { walk(test.change(w, recipe)) }
			walk(recipe.Change())
			cards, _, err := f.Page(t.Context(), "r0", "")
			got := ""
			for _, card := range cards {
				got += card.Title
			}
			if err != nil || got != test.want || driver.meanwhile != nil {
				t.Errorf("the feed shows %q, want %q; %v", got, test.want, err)
			}
		})
	}
}
