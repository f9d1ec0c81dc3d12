package feeds_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A crashing table's process dies at some of its writes of feeds: before the write, or
// when it is made and nobody was told.
type crashing struct {
	store.Driver
	wrote atomic.Int64
	// at are the writes at which it dies, each once.
	at map[int64]bool
}

var errDied = errors.New("the process has died")

func (c *crashing) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if w.Op != store.Put || !strings.HasPrefix(rowstest.Partition(w.Item), "feed#") {
		return c.Driver.Write(ctx, w)
	}
	n := c.wrote.Add(1)
	if !c.at[n] {
		return c.Driver.Write(ctx, w)
	}
	if n%2 == 0 {
		if _, err := c.Driver.Write(ctx, w); err != nil {
			return nil, err
		}
	}
	return nil, errDied
}

// TestFortyThousandFollowers: the feed of an author with 40,000 followers is written
// in chunks that continue, by processes that die at random, and each follower has
// the recipe once.
func TestFortyThousandFollowers(t *testing.T) {
	const crashes = 12
	followers := 40_000
	if testing.Short() {
		followers = 4_000
	}
	w := publishtest.New(t, nightshifttest.Config{Duplicates: true})
	random := rand.New(rand.NewPCG(1, 2))
	driver := &crashing{Driver: w.Kit.Table(rowstest.Name), at: map[int64]bool{}}
	for range crashes {
		driver.at[1+random.Int64N(int64(followers))] = true
	}
	table, err := rows.New(driver, rowstest.Name, w.Kit.Jobs)
	if err != nil {
		t.Fatal(err)
	}
	f, err := feeds.New(table, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Follow(followers, 0)
	w.Serve(tasks.FeedsHear, f.Follow)
	recipe := w.Publish(publishtest.Content("Soup"))
	w.Kit.RunAll(t.Context())

	if n := w.Rows("feed#"); n != followers {
		t.Errorf("there are %d rows in feeds, want one for each of %d followers", n, followers)
	}
	of := map[string]int{}
	for _, row := range w.Kit.Rows(rowstest.Name) {
		of[rowstest.Partition(row)]++
	}
	for i := range followers {
		if n := of[fmt.Sprintf("feed#r%d", i)]; n != 1 {
			t.Fatalf("the feed of r%d has %d rows", i, n)
		}
	}
	if cards, _, err := f.Page(t.Context(), fmt.Sprintf("r%d", followers-1), ""); err != nil || len(cards) != 1 || cards[0].ID != recipe.ID {
		t.Errorf("a feed shows %v, %v", cards, err)
	}
	jobs := nightshifttest.Enqueued(w.Kit, tasks.FeedsHear[0].Task())
	if len(jobs) != 1 {
		t.Fatalf("there were %d jobs, want one that continues", len(jobs))
	}
	progress, err := recipes.ProgressOf(t.Context(), w.Table, recipe)
	if err != nil || progress.Feeds.Stage != recipes.Done || progress.Feeds.Reached != followers || progress.Feeds.Of != followers {
		t.Errorf("the progress is %+v, %v", progress.Feeds, err)
	}
	again := driver.wrote.Load() - int64(followers)
	t.Logf("%d followers, %d crashes, %d runs that failed or died: %d rows were written a second time", followers, len(driver.at), w.Kit.Record(jobs[0].ID).Attempt-1, again)
	// A run redoes its own thousand at most; the first run of all died after its last.
	if again > int64(len(driver.at)+1)*1000 {
		t.Errorf("%d rows were written again", again)
	}
}

// TestTheLatestVersionWins: walks of several versions go on at the same time and in
// any order. In the end each feed has what the recipe is.
func TestTheLatestVersionWins(t *testing.T) {
	const followers = 1100
	for seed := range uint64(3) {
		w := publishtest.New(t, nightshifttest.Config{Seed: seed, Shuffle: true, Duplicates: true})
		f, err := feeds.New(w.Table, w.Kit.Now)
		if err != nil {
			t.Fatal(err)
		}
		w.Follow(followers, 0)
		w.Serve(tasks.FeedsHear, f.Follow)
		edited := w.Publish(publishtest.Content("Old title"))
		deleted := w.Publish(publishtest.Content("Deleted"))
		held := w.Publish(publishtest.Content("Held"))
		edited = w.Edit(edited, publishtest.Content("New title"))
		w.Delete(deleted)
		withheld := outbox.Publish(held.Turned().Happened(tasks.RecipeWithheld))
		if err := recipes.Hold(w.Table.Change(), held).Transact(t.Context(), w.Kit.Outbox, withheld); err != nil {
			t.Fatal(err)
		}
		w.Kit.RunAll(t.Context())
		for _, i := range []int{0, 999, followers - 1} {
			cards, _, err := f.Page(t.Context(), fmt.Sprintf("r%d", i), "")
			titles := []string{}
			for _, c := range cards {
				titles = append(titles, c.Title)
			}
			if err != nil || !slices.Equal(titles, []string{edited.Title}) {
				t.Fatalf("seed %d: feed %d shows %q, want %q; %v", seed, i, titles, edited.Title, err)
			}
		}
	}
}

func TestNothingToTell(t *testing.T) {
	w := publishtest.New(t, nightshifttest.Config{})
	f, err := feeds.New(w.Table, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(tasks.FeedsHear, f.Follow)
	recipe := w.Publish(publishtest.Content("Nobody follows"))
	w.Kit.RunAll(t.Context())
	progress, err := recipes.ProgressOf(t.Context(), w.Table, recipe)
	if err != nil || progress.Feeds.Stage != recipes.Done || progress.Feeds.Reached != 0 {
		t.Errorf("the progress is %+v, %v", progress.Feeds, err)
	}
	if _, _, err := f.Page(t.Context(), "r1", "!"); !errors.Is(err, rows.ErrCursor) {
		t.Errorf("a foreign cursor: %v", err)
	}
}
