package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// unknownTaskWait is the wait of a job whose task this worker does not know: a
// deployment is under way, and another version may know it.
const unknownTaskWait = time.Minute

// attempt runs a claimed job and writes how it ended.
func (b *batch) attempt(ctx context.Context, r *record, rec *store.Record) fate {
	h, known := b.handlers[rec.Task]
	if !known {
		b.config.Logger.ErrorContext(ctx, "no handler for the task: the job waits for a version that has one", "job", rec.ID, "task", rec.Task)
		return b.settle(ctx, rec, lifecycle.Outcome{To: lifecycle.Queued, Wait: unknownTaskWait, GiveBack: true})
	}
	started := b.config.Now()
	result, err := b.run(ctx, h, rec)
	policy := h.definition.Policy
	outcome := lifecycle.Ended(lifecycle.Attempt{
		Number: rec.Attempt, Max: rec.MaxAttempts, Backoff: policy.Backoff, FIFO: policy.Queue.FIFO,
	}, err, b.config.Random)
	if outcome.To == lifecycle.Done {
		outcome.Result = result
	}
	outcome = storable(outcome)
	b.logRun(ctx, r, rec, outcome, b.config.Now().Sub(started))
	if errors.Is(err, errIgnored) {
		return fate{overrun: &overrun{rec, outcome}}
	}
	return b.settle(ctx, rec, outcome)
}

// An overrun is a run whose handler did not stop when its time was up.
type overrun struct {
	rec     *store.Record
	outcome lifecycle.Outcome
}

// settleOverruns writes the ends of runs that go on. It does so last, right
// before the process exits: until then their leases keep others away.
func (b *batch) settleOverruns(ctx context.Context) {
	for i := range b.fates {
		if o := b.fates[i].overrun; o != nil {
			b.fates[i] = b.settle(ctx, o.rec, o.outcome)
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
// back Grace after that end at the latest, with or without the handler.
func (b *batch) run(ctx context.Context, h *Handler, rec *store.Record) (any, error) {
	call, err := b.open(ctx, h, rec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, b.timeFor(h.definition.Policy.Timeout))
	defer cancel()
	ended := make(chan ending, 1)
	go b.guard(ctx, call, rec, ended)
	select {
	case e := <-ended:
		return e.result, e.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case e := <-ended:
		return e.result, e.err
	case <-grace.C:
		b.stuck.Store(true)
		return nil, errIgnored
	}
}

// open decodes the arguments, which may be code of the task's own.
func (b *batch) open(ctx context.Context, h *Handler, rec *store.Record) (call call, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = b.panicked(ctx, rec, p)
		}
	}()
	return h.open(rec)
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
