package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

const (
	// releaseSpan is over how much time a run spreads what it releases: until the
	// next one.
	releaseSpan = time.Minute
	// releaseChunk is how many jobs are released one after the other, and
	// releaseParallel how many such chunks are under way at once: fewer than what is
	// due may have, so that neither starves the other.
	releaseChunk    = 100
	releaseParallel = 8
)

// releaseSpilled hands spilled jobs to the queues that have become short. A queue whose
// depth is not known gets none, and neither does one without a plan or an address: its
// jobs stay where they are.
func (s *Sweep) releaseSpilled(ctx context.Context) error {
	if s.config.Depths == nil {
		return nil
	}
	rates, err := s.config.Jobs.SpillRates(ctx)
	if err != nil {
		return unlessOver(ctx, err)
	}
	var problems []error
	for name, plan := range s.config.Plans {
		if ctx.Err() == nil && s.config.Addresses[name].URL != "" {
			problems = append(problems, unlessOver(ctx, s.releaseQueue(ctx, name, plan, rates[name])))
		}
	}
	return errors.Join(problems...)
}

// releaseQueue releases what a queue has room for, the oldest first.
func (s *Sweep) releaseQueue(ctx context.Context, name string, plan sizing.Plan, rate store.SpillRate) error {
	waiting, err := s.spilled(ctx, name, plan)
	if err != nil {
		return err
	}
	s.measureSpill(ctx, plan, waiting)
	if waiting == 0 || rate.Paused {
		return nil
	}
	depth, err := s.config.Depths.Depth(ctx, s.config.Addresses[name].URL)
	if err != nil {
		s.config.Logger.WarnContext(ctx, "a queue could not be counted; none of its spilled jobs are released in this run", "queue", name, "error", err.Error())
		return nil
	}
	now := s.config.Now()
	n := min(Allowed(plan, rate, now), plan.Room(depth.Total()), waiting)
	if n <= 0 {
		return nil
	}
	if ok, err := s.relayed(ctx, name, rate); err != nil || !ok {
		return err
	}
	if mine, err := s.config.Jobs.BeginRelease(ctx, name, rate, now); err != nil || !mine {
		return err
	}
	oldest, err := s.oldest(ctx, name, n, now)
	if err != nil {
		return err
	}
	released, err := s.release(ctx, plan, oldest, now)
	if released > 0 {
		s.measure(ctx, telemetry.Released.Times(name, released))
		s.config.Logger.InfoContext(ctx, "released spilled jobs", "queue", name, "jobs", released, "waiting", waiting-released)
	}
	if errors.Is(err, store.ErrFull) { // the hard bound of a queue is reached before its mark
		return nil
	}
	return err
}

// relayed tells whether the relay has published what was released before, and asks it to
// confirm what is released now: jobs that wait for the relay are in no depth. Where it
// stands still nothing more is released until it has confirmed.
func (s *Sweep) relayed(ctx context.Context, name string, rate store.SpillRate) (bool, error) {
	gauge, err := s.config.Jobs.Gauge(ctx, name)
	if err != nil {
		return false, err
	}
	behind := !rate.Released.IsZero() && gauge.Relayed.Before(rate.Released)
	if behind {
		s.config.Logger.WarnContext(ctx, "the relay has not confirmed what was released before; no spilled jobs are released in this run", "queue", name)
	}
	_, err = s.config.Jobs.Probe(ctx, name, gauge)
	return !behind, err
}

// Allowed is how many spilled jobs of a queue may be released at a time, by its rate:
// those of the time since the last release, of a minute at most, or of as long as one
// job takes.
func Allowed(plan sizing.Plan, rate store.SpillRate, now time.Time) int {
	r := cmp.Or(rate.Rate, sizing.ReleaseRate(plan.DrainRate, plan.Queue.PeakArrivals))
	span := releaseSpan.Seconds()
	if rate.Released.IsZero() {
		return max(whole(float64(r)*span), 1)
	}
	longest := max(span, 1/float64(r))
	return whole(float64(r)*min(now.Sub(rate.Released).Seconds(), longest) + 1e-6)
}

// whole cuts a number off to an int, which the largest don't fit in.
func whole(jobs float64) int { return int(min(jobs, math.MaxInt32)) }

// spilled counts what waits for its release, in two reads for most queues. Once an hour
// the index is asked where nothing is counted: somebody may have deleted a counter.
func (s *Sweep) spilled(ctx context.Context, name string, plan sizing.Plan) (waiting int, err error) {
	counters, err := s.config.Jobs.Counters(ctx, store.CountSpilled, name, store.SpillBound(plan).Shards)
	for _, c := range counters {
		waiting += c.Used
	}
	if now := s.config.Now(); waiting == 0 && err == nil && now.Minute() == 0 {
		uncounted, err := s.oldest(ctx, name, releaseChunk, now)
		return len(uncounted), err
	}
	return waiting, err
}

// oldest gives the n spilled jobs that came first. Ids are spread evenly over the shards
// of the index, of each of which a little more than its part is looked at.
func (s *Sweep) oldest(ctx context.Context, name string, n int, until time.Time) ([]store.DueJob, error) {
	each := 2*n/store.DueShards + Crowd
	var found [store.DueShards][]store.DueJob
	var reads errgroup.Group
	for shard := range store.DueShards {
		reads.Go(func() (err error) {
			found[shard], _, err = s.config.Jobs.Spilled(ctx, name, shard, until, each, nil)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(found[:]...)
	slices.SortFunc(all, func(a, b store.DueJob) int { return a.Due.Compare(b.Due) })
	return all[:min(n, len(all))], nil
}

// release spreads jobs over the time until the next run.
func (s *Sweep) release(ctx context.Context, plan sizing.Plan, jobs []store.DueJob, now time.Time) (int, error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	every := releaseSpan / time.Duration(len(jobs))
	var hard *store.Bound
	if plan.Queue.Hard {
		bound := store.HardBound(plan)
		hard = &bound
	}
	var released atomic.Int64
	var chunks errgroup.Group
	chunks.SetLimit(releaseParallel)
	for first := 0; first < len(jobs); first += releaseChunk {
		chunk := jobs[first:min(first+releaseChunk, len(jobs))]
		chunks.Go(func() error {
			n, err := s.config.Jobs.ReleaseSpilled(ctx, chunk, now.Add(time.Duration(first)*every), every, hard)
			released.Add(int64(n))
			return err
		})
	}
	if err := chunks.Wait(); err != nil {
		return int(released.Load()), fmt.Errorf("releasing spilled jobs of queue %s: %w", plan.Queue.Name, err)
	}
	return int(released.Load()), nil
}
