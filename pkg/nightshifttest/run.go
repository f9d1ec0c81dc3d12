package nightshifttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Given is what a run finds. The zero value of each field means its default.
type Given struct {
	// Attempt is the run's number; default 1. The attempts before it failed.
	Attempt int
	// Cursor is what an earlier run saved (job.Continue); default none.
	Cursor any
	// Options are those that the job was enqueued with.
	Options []job.Option
	// CancelRequested tells that somebody asked for the job's cancellation while it
	// runs: the handler is told by worker.Progress.
	CancelRequested bool
	// Tables are tables that the handler commits to (Config.Tables), and Rows what is
	// in them, by the table's name.
	Tables map[string][]string
	Rows   map[string][]store.Item
	// Now is a clock that goes on (Config.Now).
	Now func() time.Time
}

// Ran is how a run ended.
type Ran[R any] struct {
	// Result and Err are what the handler returned.
	Result R
	Err    error
	// State is where the job stands: done, dead, cancelled, or queued or scheduled
	// for another run, Wait from now.
	State lifecycle.State
	Wait  time.Duration
	// Spent tells that the run counts as an attempt; it does not after job.Snooze
	// and job.Continue.
	Spent bool
	// Code is the failure's (job.Coded); empty where there was none.
	Code string
	// Cursor, Progress and Kept are JSON: what the handler saved with job.Continue,
	// what it last told with worker.Progress, and the result as it is kept with
	// the job. Nil where there is none.
	Cursor, Progress, Kept []byte
	// Committed are the handler's own writes in worker.Commit, in their order.
	Committed []store.Write
}

// Run runs a handler once, with these arguments, and tells how that ended. There is no
// queue: what the job's next run would bring is for a Kit. Arguments that the task
// refuses, a panic, and a handler that ignores the end of its context end the test.
// Of several Givens the last one counts.
func Run[A any](t testing.TB, task job.Task[A], args A, handler func(context.Context, *job.Job[A]) error, given ...Given) Ran[job.NoResult] {
	t.Helper()
	r := &running{}
	h := worker.Handle(task, func(ctx context.Context, j *job.Job[A]) error {
		r.begin(ctx, j.ID)
		err := handler(ctx, j)
		r.end(err)
		return err
	})
	return ranOf[job.NoResult](r.once(t, h, task.With(args), given))
}

// RunResult is Run for a task whose result is kept with the job.
func RunResult[A, R any](t testing.TB, task job.ResultTask[A, R], args A, handler func(context.Context, *job.Job[A]) (R, error), given ...Given) Ran[R] {
	t.Helper()
	r := &running{}
	var result R
	h := worker.HandleResult(task, func(ctx context.Context, j *job.Job[A]) (R, error) {
		r.begin(ctx, j.ID)
		var err error
		result, err = handler(ctx, j)
		r.end(err)
		return result, err
	})
	ran := ranOf[R](r.once(t, h, task.With(args), given))
	ran.Result = result
	return ran
}

// running is one run of a handler.
type running struct {
	kit   *Kit
	given Given
	// entered and returned tell what became of the handler, err what it returned.
	entered, returned bool
	err               error
	// before is the row before the run, after the one that came of it.
	before, after store.Record
	committed     []store.Write
}

func (r *running) begin(ctx context.Context, id job.ID) {
	r.entered = true
	if !r.given.CancelRequested {
		return
	}
	if _, err := r.kit.Jobs.Cancel(ctx, id, ""); err != nil {
		r.kit.t.Errorf("nightshifttest: asking for the cancellation: %v", err)
	}
}

func (r *running) end(err error) { r.returned, r.err = true, err }

// once makes the job, brings it to where the run is to begin, and runs it.
func (r *running) once(t testing.TB, h worker.Handler, request job.Request, given []Given) *running {
	t.Helper()
	if len(given) > 0 {
		r.given = given[len(given)-1]
	}
	k := New(t, Config{Tables: r.given.Tables, Now: r.given.Now}, h.Definition())
	r.kit = k
	for table, rows := range r.given.Rows {
		for _, row := range rows {
			k.Put(table, row)
		}
	}
	ctx := t.Context()
	id, err := k.Producer.Enqueue(ctx, request, r.given.Options...)
	if err != nil {
		t.Fatalf("nightshifttest: %v", err)
	}
	k.goTo(k.Record(id).NotBefore)
	k.promote(ctx)
	r.prepare(ctx, id)
	k.Serve(h)
	k.left = 1
	k.publish(ctx)
	r.before = k.Record(id)
	k.table.each = func(writes []store.Write) { r.committed = writes[1:] } // the first is the job's row
	k.deliver(ctx)
	r.after = k.Record(id)
	switch e := k.find(id); {
	case r.entered && !r.returned && r.after.Error != nil:
		t.Fatalf("nightshifttest: the handler did not return (%s: %s)\n%s", r.after.Error.Code, r.after.Error.Message, e.shortHistory())
	case !r.entered:
		t.Fatalf("nightshifttest: the handler was not called\n%s", e.shortHistory())
	}
	return r
}

// errEarlier is what the attempts before the run failed with.
var errEarlier = errors.New("an earlier attempt failed")

// prepare has earlier attempts fail, and saves a cursor.
func (r *running) prepare(ctx context.Context, id job.ID) {
	r.kit.t.Helper()
	for range r.given.Attempt - 1 {
		r.past(ctx, id, lifecycle.Outcome{To: lifecycle.Queued, Err: errEarlier})
	}
	if r.given.Cursor != nil {
		r.past(ctx, id, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: r.given.Cursor})
	}
}

func (r *running) past(ctx context.Context, id job.ID, outcome lifecycle.Outcome) {
	k := r.kit
	k.t.Helper()
	token := made(k.Jobs.NewToken()).or(k)
	claim, err := k.Jobs.Claim(ctx, id, store.Lease{Token: token, Until: k.Now().Add(time.Minute), Alone: true})
	if err == nil && claim.Granted {
		_, err = k.Jobs.Finish(ctx, claim.Record, outcome)
	}
	if err != nil || !claim.Granted {
		k.t.Fatalf("nightshifttest: the runs before this one: %v %v", claim.Finding, err)
	}
}

func ranOf[R any](r *running) Ran[R] {
	rec := r.after
	ran := Ran[R]{
		Err: r.err, State: rec.State, Spent: rec.Attempt > r.before.Attempt,
		Progress: rec.Progress, Kept: rec.Result, Committed: r.committed,
	}
	if rec.Error != nil && r.err != nil {
		ran.Code = rec.Error.Code
	}
	if !rec.State.Final() {
		ran.Cursor = rec.Cursor
		ran.Wait = max(rec.NotBefore.Sub(r.kit.Now()), 0)
	}
	if rec.ResultObject != nil {
		ran.Kept = r.kit.object(*rec.ResultObject)
	}
	return ran
}
