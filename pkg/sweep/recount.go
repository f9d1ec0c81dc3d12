package sweep

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// counters reads the counters of all queues that are counted.
func (s *Sweep) counters(ctx context.Context) (all []store.Counter, err error) {
	var problems []error
	read := func(count store.Count, name string, shards int) {
		found, err := s.config.Jobs.Counters(ctx, count, name, shards)
		all, problems = append(all, found...), append(problems, err)
	}
	for name, plan := range s.config.Plans {
		read(store.CountSpilled, name, store.SpillBound(plan).Shards)
		if plan.Queue.Hard {
			read(store.CountHard, name, store.HardBound(plan).Shards)
		}
	}
	return all, errors.Join(problems...)
}

// beginRecount notes what the counters have as a pass begins. It is zero where there
// are none, and where that took so long that a counter may have jobs which came after
// the beginning: nothing is recounted then.
func (h *healer) beginRecount(ctx context.Context) (pass int64, err error) {
	counters, err := h.counters(ctx)
	if err != nil || len(counters) == 0 {
		return 0, err
	}
	var begins errgroup.Group
	begins.SetLimit(Parallel)
	for _, c := range counters {
		begins.Go(func() error { return h.config.Jobs.BeginRecount(ctx, c, h.now) })
	}
	if err := begins.Wait(); err != nil || h.config.Now().Sub(h.now) > store.RecountMargin/2 {
		return 0, err
	}
	return h.now.UnixMilli(), nil
}

// endRecount corrects the counters when a pass has gone through the whole table.
func (h *healer) endRecount(ctx context.Context, pass time.Time) error {
	counters, err := h.counters(ctx)
	for _, c := range counters {
		if err != nil {
			break
		}
		var tooMany int
		if tooMany, err = h.config.Jobs.EndRecount(ctx, c, pass); tooMany > 0 && err == nil {
			h.config.Logger.WarnContext(ctx, "a count was too high and is corrected", "queue", c.Queue, "count", string(c.Count), "shard", c.Shard, "by", tooMany)
		}
	}
	return err
}

// see counts a row for those counters that had it when the pass began.
func (h *healer) see(rec store.Record) {
	if h.pass.IsZero() {
		return
	}
	for _, c := range rec.CountedAt(h.pass) {
		h.seen[c]++
	}
}

// addSeen notes what was counted. It comes before the scan's position is moved: rows
// that are read again are counted twice, and none is passed over.
func (h *healer) addSeen(ctx context.Context) error {
	for c, rows := range h.seen {
		if err := h.config.Jobs.AddSeen(ctx, c, h.pass, rows); err != nil {
			return err
		}
	}
	clear(h.seen)
	return nil
}

// settleCounts notes what a run has counted, and ends the recount with the pass.
func (h *healer) settleCounts(ctx context.Context, at *position) error {
	if h.pass.IsZero() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopBefore/3)
	defer cancel()
	if err := h.addSeen(ctx); err != nil {
		return err
	}
	if at.Segment != 0 || at.Start != nil {
		return nil
	}
	at.Pass = 0
	return h.endRecount(ctx, h.pass)
}

// release gives back the places of jobs that need them no more, which their workers
// had no time for.
func (h *healer) release(ctx context.Context, recs []store.Record) error {
	act := func(ctx context.Context) (bool, error) {
		n, err := h.config.Jobs.Release(ctx, recs...)
		return n > 0, err
	}
	return h.try(ctx, act, "", "the places of ended jobs could not be given back")
}
