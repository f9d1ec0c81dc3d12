package trending_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A world is a kit with recipes, and a clock of its own for what is counted.
type world struct {
	t     *testing.T
	kit   *nightshifttest.Kit
	table *rows.Table
	at    time.Time
	next  int
}

func newWorld(t *testing.T, config nightshifttest.Config) *world {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &world{t: t, kit: nightshifttest.New(t, config, tasks.RecountTrending)}
	w.table, w.at = rowstest.Of(t, w.kit), w.kit.Now()
	w.kit.Serve(worker.Handle(tasks.RecountTrending, trending.NewRecounter(w.table).Recount))
	return w
}

func (w *world) now() time.Time { return w.at }

// shard takes one after the other, so that every shard is met.
func (w *world) shard(n int) int {
	w.next++
	return w.next % n
}

func (w *world) publish(ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		recipe := recipes.Recipe{ID: id, State: recipes.Published, Content: recipes.Content{Title: "The " + id, Steps: []recipes.Step{{Minutes: 20}}}}
		if err := w.table.Change().Put(recipes.Key(id), recipe, "", nil).Apply(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) see(id string, times int) {
	w.t.Helper()
	views := trending.NewViews(w.table, w.now, w.shard)
	for range times {
		if err := views.Saw(w.t.Context(), id); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := views.Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) recount(at time.Time) job.ID {
	w.t.Helper()
	id, err := w.kit.Producer.Enqueue(w.t.Context(), tasks.RecountTrending.With(tasks.Recount{At: at}), job.Unique(tasks.TrendingKey))
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// list is the list as it stands, as "id score" each.
func (w *world) list() string {
	w.t.Helper()
	list, err := trending.Read(w.t.Context(), w.table)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range list.Recipes {
		got = append(got, fmt.Sprintf("%s %v", e.ID, e.Score))
	}
	return fmt.Sprint(got)
}

func TestRecount(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.publish("soup", "cake", "bread", "stew")
	end := w.at
	w.at = end.Add(-25 * time.Hour)
	w.see("stew", 1000) // yesterday's news
	w.at = end.Add(-6 * time.Hour)
	w.see("cake", 40) // six hours old: worth 20
	w.at = end
	w.see("soup", 11)
	w.see("bread", 3)
	w.see("gone", 500) // not a recipe any more
	saves := trending.NewSaves(w.table, w.now, w.shard)
	for _, reader := range []string{"ada", "ben", "ada"} {
		if err := saves.Save(t.Context(), reader, "bread"); err != nil {
			t.Fatal(err)
		}
	}
	w.recount(end)
	w.kit.RunAll(t.Context())
	if got, want := w.list(), "[cake 20 bread 13 soup 11]"; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
	list, err := trending.Read(t.Context(), w.table)
	if err != nil || list.Recipes[0].Title != "The cake" || list.Recipes[0].Minutes != 20 || !list.AsOf.Equal(end) {
		t.Errorf("it reads as %+v, %v", list, err)
	}
}

// However many of those that were seen most are no recipes, the others are listed.
func TestViewsOfWhatIsNotThere(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	var all []string
	for i := range 30 {
		all = append(all, fmt.Sprintf("soup%02d", i))
	}
	w.publish(all...)
	for _, id := range all {
		w.see(id, 2)
	}
	for i := range 150 {
		w.see(fmt.Sprintf("nothing%03d", i), 3)
	}
	w.recount(w.at)
	w.kit.RunAll(t.Context())
	list, err := trending.Read(t.Context(), w.table)
	if err != nil || len(list.Recipes) != trending.Most || list.Recipes[0].ID != "soup00" || list.Recipes[trending.Most-1].ID != all[trending.Most-1] {
		t.Errorf("the list is %s, %v", w.list(), err)
	}
}

// Five recounts wait while their worker is busy elsewhere: one runs, with the
// newest time.
func TestANewerRecountReplacesAnOlder(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	first := w.recount(w.at)
	for i := range 4 {
		if id := w.recount(w.at.Add(time.Duration(i+1) * 5 * time.Minute)); id != first {
			t.Errorf("another job, %s, was made", id)
		}
	}
	w.kit.RunAll(t.Context())
	list, err := trending.Read(t.Context(), w.table)
	if err != nil || !list.AsOf.Equal(w.at.Add(20*time.Minute)) {
		t.Errorf("the list is as of %v, %v", list.AsOf, err)
	}
}

// A recount that comes late does not undo a newer one.
func TestAnOlderRecountIsNotWanted(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{Duplicates: true})
	w.recount(w.at)
	w.kit.RunAll(t.Context())
	late := w.recount(w.at.Add(-5 * time.Minute))
	w.kit.RunAll(t.Context())
	w.kit.WantState(late, lifecycle.Cancelled)
	if list, err := trending.Read(t.Context(), w.table); err != nil || !list.AsOf.Equal(w.at) {
		t.Errorf("the list is as of %v, %v", list.AsOf, err)
	}
}

func TestViewsGatherAndAreKept(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.publish("soup")
	views := trending.NewViews(w.table, w.now, w.shard)
	before := len(w.kit.Rows(rowstest.Name))
	for range 50 {
		if err := views.Saw(t.Context(), "soup"); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(w.kit.Rows(rowstest.Name)); after != before {
		t.Fatalf("%d rows were written for 50 views within a second", after-before)
	}
	w.at = w.at.Add(10 * time.Second)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := views.Saw(ended, "soup"); !errors.Is(err, context.Canceled) {
		t.Fatalf("writing failed, and it says %v", err)
	}
	if err := views.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.recount(w.at)
	w.kit.RunAll(t.Context())
	if got, want := w.list(), "[soup 51]"; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
}

func TestSaves(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.publish("soup")
	saves := trending.NewSaves(w.table, w.now, w.shard)
	if err := saves.Save(t.Context(), "ada", "nothing"); !errors.Is(err, trending.ErrNoRecipe) {
		t.Errorf("a recipe that is not there: %v", err)
	}
	if err := saves.Save(t.Context(), "ada", "soup"); err != nil {
		t.Fatal(err)
	}
	if has, err := saves.Has(t.Context(), "ada", "soup"); !has || err != nil {
		t.Errorf("saved: %v, %v", has, err)
	}
	for range 2 {
		if err := saves.Drop(t.Context(), "ada", "soup"); err != nil {
			t.Fatal(err)
		}
	}
	if has, err := saves.Has(t.Context(), "ada", "soup"); has || err != nil {
		t.Errorf("saved: %v, %v", has, err)
	}
}
