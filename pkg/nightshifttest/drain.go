package nightshifttest

import (
	"context"
	"time"
)

// Drain works through everything that is due now, and what follows from it at once:
// the relay publishes, workers run jobs, schedules that are due enqueue. Jobs that
// wait (a retry, job.In, job.Snooze) stay for Advance or RunAll; those of queues that
// nobody serves stay where they are.
func (k *Kit) Drain(ctx context.Context) {
	k.t.Helper()
	k.left = k.config.Most
	k.drain(ctx)
}

// Advance moves the clock by d, and has everything run that comes due on the way, each
// at its time.
func (k *Kit) Advance(ctx context.Context, d time.Duration) {
	k.t.Helper()
	k.left = k.config.Most
	end := k.Now().Add(d)
	k.drain(ctx)
	for next := k.next(ctx); !next.IsZero() && !next.After(end); next = k.next(ctx) {
		k.goTo(next)
		k.drain(ctx)
	}
	k.goTo(end)
}

// RunAll moves the clock from one thing that is due to the next, until every job has
// ended. A job that can't end, or does not within Config.Most deliveries, ends the
// test with its history.
func (k *Kit) RunAll(ctx context.Context) {
	k.t.Helper()
	k.left = k.config.Most
	for k.drain(ctx); ; k.drain(ctx) {
		unfinished := k.unfinished()
		if len(unfinished) == 0 {
			return
		}
		for _, e := range unfinished {
			if !k.served[e.rec.Task] {
				k.t.Fatalf("nightshifttest: job %s of %s can't end: its task has no handler (Kit.Serve)\n%s", e.rec.ID, e.rec.Task, e.shortHistory())
			}
		}
		next := k.next(ctx)
		if next.IsZero() && k.ReleaseSpilled(ctx) > 0 {
			continue
		}
		if next.IsZero() {
			e := unfinished[0]
			k.t.Fatalf("nightshifttest: job %s of %s is %s, and nothing will wake it\n%s", e.rec.ID, e.rec.Task, e.rec.State, e.shortHistory())
		}
		k.spend(1)
		k.goTo(next)
	}
}

// drain makes steps until there is nothing to do.
func (k *Kit) drain(ctx context.Context) {
	k.t.Helper()
	for worked := true; worked; {
		if err := ctx.Err(); err != nil {
			k.t.Fatalf("nightshifttest: the context has ended: %v", context.Cause(ctx))
		}
		worked = k.occur(ctx)
		worked = k.promote(ctx) || worked
		worked = k.publish(ctx) || worked
		worked = k.deliver(ctx) || worked
	}
	k.note()
}

// goTo moves the clock; what happened until now was at the time that it shows.
func (k *Kit) goTo(at time.Time) {
	k.note()
	k.clock.move(at)
}

// next is when the next thing is due that is not due yet; zero where nothing is.
func (k *Kit) next(ctx context.Context) (next time.Time) {
	k.t.Helper()
	now := k.Now()
	sooner := func(at time.Time) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	names := []string{backstopName, backstopNameFIFO}
	for _, q := range k.queues {
		if q.worker != nil {
			names = append(names, q.at)
		}
	}
	sooner(k.sqs.Next(names...))
	for _, e := range k.scheduled() {
		sooner(e.rec.NotBefore)
	}
	for _, s := range k.schedules {
		sooner(s.next)
	}
	return next
}

// spend counts deliveries. Where there were too many, the job that ran most often is
// to blame.
func (k *Kit) spend(n int) {
	k.t.Helper()
	if k.left -= n; k.left >= 0 {
		return
	}
	k.note()
	var worst *entry
	for _, e := range k.unfinished() {
		if worst == nil || len(e.steps) > len(worst.steps) {
			worst = e
		}
	}
	if worst == nil {
		k.t.Fatalf("nightshifttest: not at rest after %d deliveries (Config.Most), though every job has ended", k.config.Most)
	}
	k.t.Fatalf("nightshifttest: not at rest after %d deliveries (Config.Most): job %s of %s is %s still\n%s",
		k.config.Most, worst.rec.ID, worst.rec.Task, worst.rec.State, worst.shortHistory())
}
