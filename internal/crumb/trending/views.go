package trending

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

const (
	// flushEvery and flushAt bound how long, and how many, views are only in
	// memory. What a function's environment has not written when Lambda takes
	// it away is lost: a view is no order, and a recount of a day does not show
	// it.
	flushEvery = 10 * time.Second
	flushAt    = 200
	// atOnce is how many rows are written side by side.
	atOnce = 8
)

// Views gathers views and writes them now and then. It may be used by many
// goroutines.
type Views struct {
	table *rows.Table
	now   func() time.Time
	shard func(n int) int

	mu      sync.Mutex
	waiting map[string]int
	total   int
	flushed time.Time
}

// NewViews makes Views that count into a table. shard draws a number below n.
func NewViews(table *rows.Table, now func() time.Time, shard func(n int) int) *Views {
	return &Views{table: table, now: now, shard: shard, waiting: map[string]int{}, flushed: now()}
}

// Saw counts a view, and writes what has gathered if it is time.
func (v *Views) Saw(ctx context.Context, recipe string) error {
	if !v.gather(recipe) {
		return nil
	}
	return v.Flush(ctx)
}

// gather counts a view in memory and tells whether it is time to write.
func (v *Views) gather(recipe string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waiting[recipe]++
	v.total++
	return v.total >= flushAt || v.now().Sub(v.flushed) >= flushEvery
}

// Flush writes what has gathered. Views that could not be written are kept for
// the next time.
func (v *Views) Flush(ctx context.Context) error {
	v.mu.Lock()
	waiting := v.waiting
	v.waiting, v.total, v.flushed = map[string]int{}, 0, v.now()
	v.mu.Unlock()

	var failed []error
	writes := errgroup.Group{}
	writes.SetLimit(atOnce)
	for recipe, n := range waiting {
		writes.Go(func() error {
			err := add(v.table.Change(), recipe, v.now(), v.shard(Shards), n, 0).Apply(ctx)
			if err != nil {
				v.mu.Lock()
				v.waiting[recipe] += n
				v.total += n
				failed = append(failed, err)
				v.mu.Unlock()
			}
			return nil
		})
	}
	_ = writes.Wait() // each failure is in failed
	return errors.Join(failed...)
}
