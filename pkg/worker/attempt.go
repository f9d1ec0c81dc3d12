package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// newerWait is the wait of a job whose task, or whose version of the task's
// arguments, this worker does not know: a deployment is under way, and newer workers
// do.
const newerWait = time.Minute

// attempt runs a claimed job and writes how it ended.
func (b *batch) attempt(ctx context.Context, r *record, rec *store.Record) fate {
	h, known := b.handlers[rec.Task]
	if !known || rec.Version > h.definition.Policy.Version {
		b.config.Logger.ErrorContext(ctx, "no handler for the task, or for this version of its arguments: the job waits for a worker that has one", "job", rec.ID, "task", rec.Task, "version", rec.Version)
		return b.settle(ctx, rec, lifecycle.Outcome{To: lifecycle.Queued, Wait: newerWait, GiveBack: true})
	}
	started := b.config.Now()
	current := &run{config: &b.config, jobs: b.config.Jobs, rec: rec}
	ctx = b.trace(ctx, current)
	b.began(ctx, r, rec, started)
	result, err := b.run(ctx, h, current)
	err = b.sound(ctx, rec, err)
	b.ran(ctx, b.config.Now().Sub(started))
	if now := current.endedAs(); now != nil {
		current.keeper.close()
		b.logCommit(ctx, r, now, err, b.config.Now().Sub(started))
		b.ended(ctx, now, lifecycle.Outcome{GiveBack: true})
		current.endSpan(string(now.State), nil)
		return fateOf(now)
	}
	rec = current.record()
	outcome := b.decide(ctx, h, current, result, err)
	b.logRun(ctx, r, rec, outcome, b.config.Now().Sub(started))
	current.endSpan(string(outcome.To), outcome.Err)
	if errors.Is(err, errIgnored) {
		return fate{overrun: &overrun{current, outcome}}
	}
	current.keeper.close()
	return b.settle(ctx, current.record(), outcome)
}

// decide says how a job goes on whose run returned this. A result, a cursor and a
// policy's own waits are code of the user's: where that panics, the run failed.
func (b *batch) decide(ctx context.Context, h *Handler, r *run, result any, err error) (outcome lifecycle.Outcome) {
	rec, policy := r.record(), h.definition.Policy
	attempt := lifecycle.Attempt{Number: rec.Attempt, Max: rec.MaxAttempts, Backoff: policy.Backoff, FIFO: policy.Queue.FIFO}
	defer func() {
		if p := recover(); p != nil {
			attempt.Backoff.Wait = nil
			outcome = lifecycle.Ended(attempt, b.panicked(ctx, rec, p), b.config.Random)
		}
	}()
	cancelled, lost := r.interrupted()
	switch {
	case err != nil && cancelled:
		return lifecycle.Outcome{To: lifecycle.Cancelled}
	case (lost || errors.Is(context.Cause(ctx), ErrShutdown)) && err != nil && !job.IsVerdict(err):
		return lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true}
	}
	outcome = lifecycle.Ended(attempt, err, b.config.Random)
	if outcome.To == lifecycle.Done {
		outcome.Result = result
	}
	lasting, done := b.lasting(ctx, rec.LeaseUntil)
	defer done()
	outcome, err = b.config.kept(lasting, rec, storable(outcome, b.config.mostResult()))
	if err != nil {
		return lifecycle.Ended(attempt, err, b.config.Random)
	}
	return outcome
}

// sound gives an error whose methods can be called. A nil pointer in an interface is
// an error that panics as soon as somebody asks what it says.
func (b *batch) sound(ctx context.Context, rec *store.Record, err error) (same error) {
	defer func() {
		if p := recover(); p != nil {
			same = b.panicked(ctx, rec, p)
		}
	}()
	if err != nil {
		_, _, _, _ = err.Error(), job.ErrorCode(err), job.IsVerdict(err), errors.Is(err, context.DeadlineExceeded)
	}
	return err
}

// An overrun is a run whose handler did not stop when its time was up.
type overrun struct {
	run     *run
	outcome lifecycle.Outcome
}

// settleOverruns writes the ends of runs that go on. It does so last, right
// before the process exits: until then their leases keep others away.
func (b *batch) settleOverruns(ctx context.Context) {
	for i := range b.fates {
		o := b.fates[i].overrun
		if o == nil {
			continue
		}
		o.run.keeper.close()
		if now := o.run.endedAs(); now != nil {
			b.fates[i] = fateOf(now)
		} else {
			b.fates[i] = b.settle(ctx, o.run.record(), o.outcome)
		}
	}
}

// An ending is how a handler returned, or did not.
type ending struct {
	result any
	err    error
}

// errIgnored is the failure of a handler that did not stop.
var errIgnored = &codedError{"timeout", fmt.Errorf("the handler went on for %v after its time was up; its process was ended", Grace)}

// run calls the handler, with a context that ends before the lease does. It comes
// back Grace after the handler's time is up at the latest, with or without it.
func (b *batch) run(ctx context.Context, h *Handler, r *run) (any, error) {
	timed, expire := context.WithTimeout(ctx, b.timeFor(h.definition.Policy.Timeout))
	defer expire()
	called, interrupt := context.WithCancelCause(timed)
	r.interrupt, r.expire = interrupt, expire
	r.keeper = b.poll.keep(ctx, r)
	rec := r.record()
	call, err := b.open(called, h, rec)
	if err != nil {
		return nil, err
	}
	ended := make(chan ending, 1)
	go b.guard(called, call, rec, ended)
	// A handler that was asked to cancel may take its time; one whose time is
	// up, or whose lease is lost, may not.
	select {
	case e := <-ended:
		return e.result, e.err
	case <-timed.Done():
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case e := <-ended:
		return e.result, e.err
	case <-grace.C:
		b.stuck.Store(true)
		b.poll.stop()
		return nil, errIgnored
	}
}

// open fetches the arguments, where they lie elsewhere, and decodes them, which may be code of the task's own.
func (b *batch) open(ctx context.Context, h *Handler, rec *store.Record) (call call, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = b.panicked(ctx, rec, p)
		}
	}()
	whole, err := b.config.fetched(ctx, rec)
	if err != nil {
		return nil, err
	}
	return h.open(whole)
}

// guard runs the handler in a goroutine of its own. A panic, or the end of that
// goroutine, is a failure of this run alone.
func (b *batch) guard(ctx context.Context, call call, rec *store.Record, ended chan<- ending) {
	e := ending{err: errGoexit}
	defer func() {
		if p := recover(); p != nil {
			e = ending{err: b.panicked(ctx, rec, p)}
		}
		ended <- e
	}()
	result, err := call(ctx)
	e = ending{result, err}
}

var errGoexit = &codedError{"panic", errors.New("the handler ended its goroutine (runtime.Goexit)")}

// panicked logs a panic with its stack and gives the failure that it is.
func (b *batch) panicked(ctx context.Context, rec *store.Record, p any) error {
	b.config.Logger.ErrorContext(ctx, "a handler panicked", "job", rec.ID, "task", rec.Task, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return &codedError{"panic", fmt.Errorf("panic: %v", p)}
}
