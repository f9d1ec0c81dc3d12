package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// How a Late looks.
const (
	// overdueEvery is how often it looks.
	overdueEvery = 10 * time.Second
	// behind is how old the mark is of a sweep that is behind: two runs may have been
	// missed.
	behind = Settling + 4*time.Minute
	// overdueMinutes and overdueRows bound what it reads: so many minutes from the mark
	// on, and so many rows of each shard.
	overdueMinutes, overdueRows = 5, 4
)

// Late tells, for gates, since when the oldest job of a queue has been due that the
// sweep did not hand to it. One reader is for all gates of a process, and may be used
// by many goroutines. It costs a read every ten seconds; where the sweep is behind, the
// oldest rows of the first minute that has any are read as well.
type Late struct {
	jobs *store.Jobs
	now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	oldest map[string]time.Time
}

// NewLate makes a Late; now is the clock.
func NewLate(jobs *store.Jobs, now func() time.Time) *Late {
	return &Late{jobs: jobs, now: now}
}

// Oldest gives since when the oldest job of each queue, by its name, has been due. It
// is a sample, where much is overdue.
func (o *Late) Oldest(ctx context.Context) (map[string]time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if !o.looked.IsZero() && now.Sub(o.looked) < overdueEvery {
		return o.oldest, nil
	}
	oldest, err := o.look(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("sweep: looking for what is overdue: %w", err)
	}
	o.looked, o.oldest = now, oldest
	return oldest, nil
}

func (o *Late) look(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	seen, err := o.jobs.Mark(ctx, dueMark)
	if err != nil {
		return nil, err
	}
	mark, err := time.Parse(markLayout, seen)
	if err != nil || now.Sub(mark) < behind {
		return nil, nil // no sweep has run yet, or it is in time
	}
	for i := range overdueMinutes {
		oldest, err := o.inMinute(ctx, mark.Add(time.Duration(i)*time.Minute), now)
		if err != nil || len(oldest) > 0 {
			return oldest, err
		}
	}
	return nil, nil
}

// inMinute gives since when jobs are overdue that are due in a minute.
func (o *Late) inMinute(ctx context.Context, minute, now time.Time) (map[string]time.Time, error) {
	var mu sync.Mutex
	oldest := map[string]time.Time{}
	var shards errgroup.Group
	for shard := range store.DueShards {
		shards.Go(func() error {
			due, err := o.jobs.FirstDue(ctx, minute, shard, now, overdueRows)
			for _, d := range due {
				if d.ID == "" {
					continue // an event's row
				}
				rec, err := o.jobs.Get(ctx, d.ID)
				if errors.Is(err, store.ErrNotFound) || err == nil && rec.State != lifecycle.Scheduled {
					continue // promoted or cancelled meanwhile
				}
				if err != nil {
					return err
				}
				mu.Lock()
				if first, known := oldest[rec.Queue]; !known || d.Due.Before(first) {
					oldest[rec.Queue] = d.Due
				}
				mu.Unlock()
			}
			return err
		})
	}
	return oldest, shards.Wait()
}
