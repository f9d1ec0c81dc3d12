package invariants

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
)

// limits are about jobs that run within a limit, of one key: one at once, and one each
// few seconds. Whatever goes wrong, all of them end.
func limits() []scenario {
	var all []scenario
	for _, way := range []string{"handler", "result", "all", "slots", "bucket", "slot"} {
		does := []string{"limit-" + way}
		all = append(all, scenario{
			name:  "limit: " + way,
			steps: []step{enqueue(0, "a", write, does), enqueue(0, "b", write, does), enqueue(2*time.Second, "c", write, does)},
			ends:  ends{"a": done, "b": done, "c": done},
		})
	}
	return all
}

// limitedWork is longer than it takes until a slot is renewed.
const limitedWork = 5 * time.Second

// atOnce and perTime are the limits, as a process has them.
func (w *world) atOnce(p *process) *limit.Slots {
	slots, err := limit.NewSlots(limit.SlotsConfig{
		Driver: p.driver, Name: "notes.slots", AtOnce: 1, Lease: 10 * time.Second,
		Random: p.random, Jitter: func() float64 { return 0 }, Logger: silent,
	})
	if err != nil {
		panic(err)
	}
	return slots
}

func (w *world) perTime(p *process) *limit.Bucket {
	bucket, err := limit.NewBucket(limit.BucketConfig{
		Driver: p.driver, Name: "notes.rate", Rate: job.PerMinute(6), Burst: 1, Random: p.random, Jitter: func() float64 { return 0 },
	})
	if err != nil {
		panic(err)
	}
	return bucket
}

// limited does a job's work in one of the ways of package limit.
func (w *world) limited(ctx context.Context, p *process, j *job.Job[note], way string) error {
	both := limit.All(w.atOnce(p), w.perTime(p))
	key := func(*job.Job[note]) string { return "the key" }
	work := func(ctx context.Context, _ *job.Job[note]) error { return w.alone(ctx) }
	switch way {
	case "limit-handler":
		return limit.Handler(both, key, work)(ctx, j)
	case "limit-result":
		_, err := limit.HandlerResult(both, key, func(ctx context.Context, j *job.Job[note]) (int, error) { return 1, work(ctx, j) })(ctx, j)
		return err
	case "limit-all":
		return w.within(ctx, both, j)
	case "limit-slots":
		return w.within(ctx, w.atOnce(p), j)
	case "limit-bucket":
		return w.within(ctx, w.perTime(p), j)
	}
	slot, _, err := w.atOnce(p).Acquire(ctx, "the key", string(j.ID))
	if err != nil {
		return err
	}
	if slot == nil {
		return job.Snooze(limitedWork)
	}
	err = w.alone(ctx)
	return errors.Join(err, slot.Renew(ctx), slot.Release(ctx))
}

func (w *world) within(ctx context.Context, l limit.Limiter, j *job.Job[note]) error {
	permit, err := l.Enter(ctx, "the key", string(j.ID))
	switch {
	case err != nil:
		return err
	case !permit.Granted:
		return job.Snooze(permit.Wait)
	}
	if permit.Leave != nil {
		defer permit.Leave()
	}
	if permit.Context != nil {
		ctx = permit.Context
	}
	return w.alone(ctx)
}

// alone works, and nobody else does: a token comes less often than work takes. A process
// that stood still is another matter.
func (w *world) alone(ctx context.Context) error {
	w.mu.Lock()
	w.inside++
	if w.inside > 1 && !w.faulty {
		w.failLocked("%d work for a key of which one may", w.inside)
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.inside--
	}()
	return pause(ctx, limitedWork)
}
