package sweep_test

import (
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A basin is a stack with one queue, of 60 places, 2 jobs drained and 1 arriving a
// second, under a clock of the test's.
type basin struct {
	*world
	mu  sync.Mutex // of now, while a run goes on
	now time.Time
}

func (b *basin) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// pass lets time go by, while a run goes on or not.
func (b *basin) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// basinURL is where its queue is.
const basinURL = "basin"

func newBasin(t testing.TB, change ...func(*sizing.Plan)) *basin {
	t.Helper()
	w := &world{memory: memstore.New(memstore.Config{}), depths: depths{basinURL: 0}}
	w.t, _ = t.(*testing.T)
	b := &basin{world: w, now: time.Now().UTC().Truncate(time.Minute)}
	w.faults = &fault.Driver{Inner: w.memory}
	var err error
	if w.jobs, err = store.New(store.Config{Driver: w.memory, Now: b.clock}); err != nil {
		t.Fatal(err)
	}
	broken, err := store.New(store.Config{Driver: w.faults, Now: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	plan := sizing.Plan{Queue: job.Queue{Name: "photos", PeakArrivals: 1, LongestWait: longestWait, Full: job.Spill}, DrainRate: 2, Limit: 60}
	for _, c := range change {
		c(&plan)
	}
	w.sweep, err = sweep.New(sweep.Config{
		Jobs: broken, Depths: w.depths, Now: b.clock, Plans: map[string]sizing.Plan{"photos": plan},
		Addresses: map[string]queue.Address{"photos": {URL: basinURL}}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// spill keeps jobs of a queue in the table, a second apart.
func (b *basin) spill(t testing.TB, name string, n int) (ids []job.ID) {
	t.Helper()
	return b.spillIn(t, name, n, store.Bound{Limit: 1 << 20, Shards: 1})
}

func (b *basin) spillIn(t testing.TB, name string, n int, bound store.Bound) (ids []job.ID) {
	t.Helper()
	for range n {
		id, err := b.jobs.NewID()
		if err != nil {
			t.Fatal(err)
		}
		b.pass(time.Second)
		spilled := store.NewJob{ID: id, Task: "photo.resize", Queue: name, Args: []byte(`{}`), MaxAttempts: 3, Spill: &bound}
		if _, _, err := b.jobs.Create(t.Context(), spilled); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// minute lets a minute pass in which the relay keeps up, and the sweep run.
func (b *basin) minute() {
	b.t.Helper()
	b.pass(time.Minute)
	if err := b.run(); err != nil {
		b.t.Fatal(err)
	}
	b.relay()
}

func (b *basin) relay() {
	b.t.Helper()
	if err := b.jobs.ConfirmPublished(b.t.Context(), "photos", b.now); err != nil {
		b.t.Fatal(err)
	}
}

// released gives those that are in their queue, in the order in which they become
// visible.
func (b *basin) released(ids []job.ID) (out []job.ID) {
	b.t.Helper()
	visible := map[job.ID]time.Time{}
	for _, id := range ids {
		if rec := b.get(id); rec.State == lifecycle.Queued {
			visible[id] = rec.Publication.At
			out = append(out, id)
		}
	}
	slices.SortFunc(out, func(x, y job.ID) int { return visible[x].Compare(visible[y]) })
	return out
}
