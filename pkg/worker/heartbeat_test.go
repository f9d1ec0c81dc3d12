package worker_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Leases and messages are extended for as long as it takes: those of jobs that
// run, that wait for their turn, and that have ended before their batch did.
func TestTheHeartbeatKeepsAllInHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(func(q *job.Queue) { q.Bound, q.Batch = 2, 4 })
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 14 * time.Minute})
		var w *polled
		w = newPolled(t, q, worker.Handle(long, func(ctx context.Context, j *job.Job[note]) error {
			if j.Args.Text == "short" {
				return nil
			}
			for range 13 {
				time.Sleep(time.Minute)
				if rec := w.get(j.ID); time.Until(rec.LeaseUntil) < worker.DefaultHold/2 {
					t.Errorf("the lease ends in %v", time.Until(rec.LeaseUntil))
				}
			}
			return ctx.Err()
		}))
		ids := []job.ID{w.add("short", nil), w.add("long", nil), w.add("long", nil), w.add("long", nil)}
		stop := w.poll()
		for range 25 {
			time.Sleep(time.Minute)
			for _, id := range ids {
				if m := w.line.of(id); m == nil || m.receives != 1 || time.Until(m.visible) < worker.DefaultHold/2 {
					t.Fatalf("a message in hand: %+v", m)
				}
			}
		}
		w.until(ids...)
		if err := stop(); err != nil {
			t.Error(err)
		}
		for _, id := range ids {
			w.is(id, lifecycle.Done, 1)
		}
	})
}

// While a table or a queue does not answer, the heartbeat goes on trying.
func TestAHeartbeatThatFailsIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(nil)
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 14 * time.Minute})
		w := newPolled(t, q, worker.Handle(long, func(ctx context.Context, _ *job.Job[note]) error {
			time.Sleep(10 * time.Minute)
			return ctx.Err()
		}))
		var down atomic.Bool
		w.faults.At = func(int) fault.Kind {
			if down.Load() {
				return fault.Down
			}
			return fault.None
		}
		id := w.add("x", nil)
		stop := w.poll()
		time.Sleep(time.Second)
		down.Store(true)
		w.line.mu.Lock()
		w.line.hideErr = errors.New("throttled")
		w.line.mu.Unlock()
		time.Sleep(50 * time.Second)
		down.Store(false)
		w.line.mu.Lock()
		w.line.hideErr = nil
		w.line.mu.Unlock()
		w.until(id)
		w.is(id, lifecycle.Done, 1)
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// A lease that can't be kept ends the handler's context before anybody else may
// have the job, and costs no attempt.
func TestALeaseThatEndsEndsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		var cause error
		q := notes(nil)
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 14 * time.Minute})
		var down atomic.Bool
		w := newPolled(t, q, worker.Handle(long, func(ctx context.Context, _ *job.Job[note]) error {
			if !ended.IsZero() {
				return nil
			}
			down.Store(true)
			<-ctx.Done()
			ended, cause = time.Now(), context.Cause(ctx)
			down.Store(false)
			return ctx.Err()
		}))
		w.faults.At = func(int) fault.Kind {
			if down.Load() {
				return fault.Down
			}
			return fault.None
		}
		started := time.Now()
		id := w.add("x", nil)
		stop := w.poll()
		w.until(id)
		if err := stop(); err != nil {
			t.Error(err)
		}
		if !errors.Is(cause, worker.ErrLeaseLost) || ended.Sub(started).Round(time.Second) != worker.DefaultHold {
			t.Errorf("the context ended after %v by %v", ended.Sub(started), cause)
		}
		w.is(id, lifecycle.Done, 1)
	})
}

func TestALostLeaseEndsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		q := notes(nil)
		w := newPolled(t, q, worker.Handle(task(q), func(ctx context.Context, _ *job.Job[note]) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ctx.Err()
		}))
		w.config.Hold = 30 * time.Second
		id := w.add("x", nil)
		stop := w.poll()
		time.Sleep(time.Second)
		stolen, err := w.jobs.TakeOver(t.Context(), w.get(id), store.Lease{Token: "thief", Until: time.Now().Add(time.Hour)})
		if err != nil || !stolen.Granted {
			t.Fatal(stolen, err)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if !errors.Is(cause, worker.ErrLeaseLost) {
			t.Errorf("the context ended by %v", cause)
		}
		if rec := w.get(id); rec.State != lifecycle.Running || rec.Token != "thief" || !rec.LeaseUntil.Equal(stolen.Record.LeaseUntil) {
			t.Errorf("the row is %s under %q: the loser wrote to it", rec.State, rec.Token)
		}
		if w.line.of(id) == nil {
			t.Error("the message was acknowledged")
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestACancellationReachesTheHandler(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ends  func(ctx context.Context) error
		state lifecycle.State
	}{
		{"it stops", func(ctx context.Context) error { return ctx.Err() }, lifecycle.Cancelled},
		{"it fails", func(context.Context) error { return job.Fail(errors.New("half done")) }, lifecycle.Cancelled},
		{"it takes its time", func(ctx context.Context) error { time.Sleep(10 * time.Second); return ctx.Err() }, lifecycle.Cancelled},
		{"it ends its work", func(context.Context) error { time.Sleep(10 * time.Second); return nil }, lifecycle.Done},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var cause error
				q := notes(nil)
				long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 5 * time.Minute})
				w := newPolled(t, q, worker.Handle(long, func(ctx context.Context, _ *job.Job[note]) error {
					<-ctx.Done()
					cause = context.Cause(ctx)
					return tt.ends(ctx)
				}))
				id := w.add("x", func(n *store.NewJob) { n.MaxAttempts = 1 })
				stop := w.poll()
				time.Sleep(time.Second)
				if _, err := w.jobs.Cancel(t.Context(), id, ""); err != nil {
					t.Fatal(err)
				}
				asked := time.Now()
				w.until(id)
				if took := time.Since(asked); took > worker.DefaultHold/2+time.Second || !errors.Is(cause, worker.ErrCancelled) {
					t.Errorf("it took %v; the cause is %v", took, cause)
				}
				if err := stop(); err != nil || len(w.exits) != 0 {
					t.Errorf("Poll: %v, exits %v", err, w.exits)
				}
				w.is(id, tt.state, 1)
				if w.line.of(id) != nil {
					t.Error("the message was not deleted")
				}
			})
		})
	}
}

// SQS lets nobody hold a message for more than 12 hours. The longest timeout ends
// before, as a timeout; and what can't end before is not begun.
func TestTwelveHours(t *testing.T) {
	for _, hold := range []time.Duration{worker.DefaultHold, worker.MostHold} {
		synctest.Test(t, func(t *testing.T) { twelveHours(t, hold) })
	}
}

func twelveHours(t *testing.T, hold time.Duration) {
	q := notes(func(q *job.Queue) { q.Bound, q.Batch, q.Polled = 1, 3, true })
	long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: job.MaxPolledTimeout})
	var ran []time.Duration
	w := newPolled(t, q, worker.Handle(long, func(ctx context.Context, j *job.Job[note]) error {
		started := time.Now()
		if j.Args.Text == "endless" {
			<-ctx.Done()
		} else {
			time.Sleep(5 * time.Hour)
		}
		ran = append(ran, time.Since(started))
		return ctx.Err()
	}))
	w.config.Hold = hold
	endless := w.add("endless", func(n *store.NewJob) { n.MaxAttempts = 1 })
	hours, more := w.add("hours", nil), w.add("hours", nil)
	stop := w.poll()
	time.Sleep(job.MaxPolledTimeout - time.Minute)
	w.is(endless, lifecycle.Running, 1)
	w.is(hours, lifecycle.Queued, 0)
	if m := w.line.of(endless); m.receives != 1 {
		t.Errorf("the message was received %d times", m.receives)
	}
	time.Sleep(2 * time.Minute)
	if rec := w.get(endless); rec.State != lifecycle.Dead || rec.Error.Code != "timeout" {
		t.Errorf("it is %s: %+v", rec.State, rec.Error)
	}
	w.is(hours, lifecycle.Running, 1) // received again, and begun
	time.Sleep(5 * time.Hour)
	w.is(hours, lifecycle.Done, 1)
	w.is(more, lifecycle.Running, 1)
	if m := w.line.of(more); m.receives != 3 {
		t.Errorf("a job was begun with less than its timeout left: its message was received %d times", m.receives)
	}
	time.Sleep(5 * time.Hour)
	w.is(more, lifecycle.Done, 1)
	if err := stop(); err != nil || w.line.beyond != 0 {
		t.Errorf("Poll: %v; %d hidings beyond SQS's limit", err, w.line.beyond)
	}
	if want := []time.Duration{job.MaxPolledTimeout, 5 * time.Hour, 5 * time.Hour}; !slices.Equal(ran, want) {
		t.Errorf("the handlers ran for %v, want %v", ran, want)
	}
}

// A handler that does not stop when its lease is lost works beside its successor:
// its process ends.
func TestAHandlerThatIgnoresALostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := notes(nil)
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 10 * time.Minute})
		w := newPolled(t, q, worker.Handle(long, func(context.Context, *job.Job[note]) error { <-release; return nil }))
		id := w.add("x", nil)
		ended := make(chan error)
		go func() { ended <- w.worker.Poll(context.Background(), w.config) }()
		time.Sleep(time.Second)
		if _, err := w.jobs.TakeOver(t.Context(), w.get(id), store.Lease{Token: "thief", Until: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		lost := time.Now()
		if err := <-ended; !errors.Is(err, worker.ErrStuck) || !slices.Equal(w.exits, []int{1}) {
			t.Errorf("Poll: %v, exits %v", err, w.exits)
		}
		if took := time.Since(lost); took > worker.DefaultHold/3+worker.Grace {
			t.Errorf("it took %v", took)
		}
		if rec := w.get(id); rec.Token != "thief" || rec.State != lifecycle.Running {
			t.Errorf("the row is %s under %q", rec.State, rec.Token)
		}
		close(release)
	})
}
