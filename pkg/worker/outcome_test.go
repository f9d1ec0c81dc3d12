package worker_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func TestHowARunEnds(t *testing.T) {
	const firstWait = 7500 * time.Millisecond // the middle of the first wait's range
	boom := errors.New("boom")
	var nothing map[string]int
	tests := []struct {
		name    string
		handler func(ctx context.Context, w *world, j *job.Job[note]) error
		edit    func(*store.NewJob)
		hidden  time.Duration // unhidden: acknowledged
		state   lifecycle.State
		attempt int
		code    string
	}{
		{"success", func(context.Context, *world, *job.Job[note]) error { return nil }, nil, unhidden, lifecycle.Done, 1, ""},
		{"failure", func(context.Context, *world, *job.Job[note]) error { return boom }, nil, firstWait, lifecycle.Queued, 1, "failed"},
		{"last failure", func(context.Context, *world, *job.Job[note]) error { return boom },
			func(n *store.NewJob) { n.MaxAttempts = 1 }, unhidden, lifecycle.Dead, 1, "failed"},
		{"permanent failure", func(context.Context, *world, *job.Job[note]) error { return job.Fail(boom) }, nil, unhidden, lifecycle.Dead, 1, "failed"},
		{"retry after", func(context.Context, *world, *job.Job[note]) error { return job.RetryAfter(time.Minute, boom) }, nil, time.Minute, lifecycle.Queued, 1, "failed"},
		{"retry after hours", func(context.Context, *world, *job.Job[note]) error { return job.RetryAfter(time.Hour, boom) }, nil, unhidden, lifecycle.Scheduled, 1, "failed"},
		{"snooze", func(context.Context, *world, *job.Job[note]) error { return job.Snooze(time.Minute) }, nil, time.Minute, lifecycle.Queued, 0, ""},
		{"long snooze", func(context.Context, *world, *job.Job[note]) error { return job.Snooze(time.Hour) }, nil, unhidden, lifecycle.Scheduled, 0, ""},
		{"continue", func(context.Context, *world, *job.Job[note]) error { return job.Continue(7) }, nil, 0, lifecycle.Queued, 0, ""},
		{"a cursor that can't be kept", func(context.Context, *world, *job.Job[note]) error { return job.Continue(func() {}) }, nil, unhidden, lifecycle.Dead, 1, "bad_cursor"},
		{"discard", func(context.Context, *world, *job.Job[note]) error { return job.Discard("no longer wanted") }, nil, unhidden, lifecycle.Cancelled, 1, "failed"},
		{"panic", func(context.Context, *world, *job.Job[note]) error { nothing["x"] = 1; return nil }, nil, firstWait, lifecycle.Queued, 1, "panic"},
		{"panic with an error", func(context.Context, *world, *job.Job[note]) error { panic(boom) }, nil, firstWait, lifecycle.Queued, 1, "panic"},
		{"the goroutine's end", func(context.Context, *world, *job.Job[note]) error { runtime.Goexit(); return nil }, nil, firstWait, lifecycle.Queued, 1, "panic"},
		{"arguments that don't fit", func(context.Context, *world, *job.Job[note]) error { return nil },
			func(n *store.NewJob) { n.Args = []byte(`{"text":7}`) }, unhidden, lifecycle.Dead, 1, "bad_arguments"},
		{"failure after a cancellation was asked", func(ctx context.Context, w *world, j *job.Job[note]) error {
			if _, err := w.jobs.Cancel(ctx, j.ID, ""); err != nil {
				return job.Fail(err)
			}
			return boom
		}, nil, unhidden, lifecycle.Cancelled, 1, ""},
		{"success after a cancellation was asked", func(ctx context.Context, w *world, j *job.Job[note]) error {
			_, err := w.jobs.Cancel(ctx, j.ID, "")
			return err
		}, nil, unhidden, lifecycle.Done, 1, ""},
		{"its time is up", func(ctx context.Context, _ *world, _ *job.Job[note]) error { <-ctx.Done(); return ctx.Err() }, nil, firstWait, lifecycle.Queued, 1, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w *world
				q := notes(nil)
				w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error { return tt.handler(ctx, w, j) }))
				id := w.enqueue("x", tt.edit)
				failed := w.deliver(message(id))
				if got := w.hiddenFor(message(id)); got != tt.hidden || (len(failed) == 0) != (tt.hidden == unhidden) {
					t.Errorf("failed %v, hidden for %v; want %v", failed, got, tt.hidden)
				}
				rec := w.get(id)
				if rec.State != tt.state || rec.Attempt != tt.attempt {
					t.Errorf("the row is %s, attempt %d; want %s, %d", rec.State, rec.Attempt, tt.state, tt.attempt)
				}
				code := ""
				if rec.Error != nil {
					code = rec.Error.Code
				}
				if code != tt.code {
					t.Errorf("code %q, want %q (%+v)", code, tt.code, rec.Error)
				}
				if len(w.exits) != 0 {
					t.Errorf("the process exited: %v", w.exits)
				}
			})
		})
	}
}

// Arguments may have code of their own.
type touchy struct{ Text spring }

type spring string

func (*spring) UnmarshalJSON([]byte) error { panic("don't") }

func TestArgumentsThatPanic(t *testing.T) {
	q := notes(nil)
	define := job.Define[touchy]("note.write", job.Policy{Queue: q})
	w := newWorld(t, q, worker.Handle(define, func(context.Context, *job.Job[touchy]) error { return nil }))
	id := w.enqueue("x", func(n *store.NewJob) { n.Args = []byte(`{"Text":"x"}`) })
	if failed := w.deliver(message(id)); len(failed) != 1 {
		t.Errorf("failed: %v", failed)
	}
	if rec := w.get(id); rec.State != lifecycle.Queued || rec.Error.Code != "panic" {
		t.Errorf("the row is %s: %+v", rec.State, rec.Error)
	}
}

func TestACursorComesBack(t *testing.T) {
	q := notes(nil)
	var seen []int
	w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
		at, _, err := job.Cursor[int](j)
		if seen = append(seen, at); at == 2 || err != nil {
			return err
		}
		return job.Continue(at + 1)
	}))
	id := w.enqueue("x", nil)
	for len(w.deliver(message(id))) > 0 {
	}
	if len(seen) != 3 || seen[2] != 2 {
		t.Errorf("cursors %v, want 0 1 2", seen)
	}
	if rec := w.get(id); rec.State != lifecycle.Done || rec.Attempt != 1 {
		t.Errorf("the row is %s, attempt %d", rec.State, rec.Attempt)
	}
}

func TestResults(t *testing.T) {
	tests := []struct {
		name   string
		result any
		state  lifecycle.State
		kept   string // the result, or the error's code
	}{
		{"a struct", note{Text: "<ö>"}, lifecycle.Done, `{"text":"\u003cö\u003e"}`},
		{"nothing", nil, lifecycle.Done, ""},
		{"no JSON", make(chan int), lifecycle.Dead, "bad_result"},
		{"the largest", strings.Repeat("x", worker.MaxResult-2), lifecycle.Done, `"` + strings.Repeat("x", worker.MaxResult-2) + `"`},
		{"too large", strings.Repeat("x", worker.MaxResult-1), lifecycle.Dead, "result_too_large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := notes(nil)
			define := job.DefineResult[note, any]("note.write", job.Policy{Queue: q})
			w := newWorld(t, q, worker.HandleResult(define, func(context.Context, *job.Job[note]) (any, error) { return tt.result, nil }))
			id := w.enqueue("x", nil)
			if failed := w.deliver(message(id)); len(failed) != 0 {
				t.Errorf("failed: %v", failed)
			}
			rec := w.get(id)
			kept := string(rec.Result)
			if rec.Error != nil {
				kept = rec.Error.Code
			}
			if rec.State != tt.state || kept != tt.kept {
				t.Errorf("the row is %s with %.80q, want %s with %.80q", rec.State, kept, tt.state, tt.kept)
			}
		})
	}
}

// Arguments of 256 KiB and a result of as much do not fit into a row.
func TestARowTooLargeIsAPermanentFailure(t *testing.T) {
	q := notes(nil)
	define := job.DefineResult[note, string]("note.write", job.Policy{Queue: q})
	large := strings.Repeat("x", 250<<10)
	w := newWorld(t, q, worker.HandleResult(define, func(context.Context, *job.Job[note]) (string, error) { return large, nil }))
	id := w.enqueue(large, nil)
	if failed := w.deliver(message(id)); len(failed) != 0 {
		t.Errorf("failed: %v", failed)
	}
	if rec := w.get(id); rec.State != lifecycle.Dead || rec.Error.Code != "result_too_large" {
		t.Errorf("the row is %s: %+v", rec.State, rec.Error)
	}
}

// Every fault at every call: the message comes until it is acknowledged, which it
// is only when the job is done; nobody pays an attempt for the table's trouble
// unless the work itself was done.
func TestEveryFaultAtEveryCall(t *testing.T) {
	scenarios := map[string]func(context.Context, *job.Job[note]) error{
		"success": func(context.Context, *job.Job[note]) error { return nil },
		"two failures": func(_ context.Context, j *job.Job[note]) error {
			if j.Attempt < 3 {
				return errors.New("boom")
			}
			return nil
		},
		"continued": func(_ context.Context, j *job.Job[note]) error {
			if _, again, err := job.Cursor[int](j); again || err != nil {
				return err
			}
			return job.Continue(1)
		},
	}
	for name, handler := range scenarios {
		for _, kind := range fault.Kinds() {
			t.Run(name+"/"+kind.String(), func(t *testing.T) {
				for call, more := 0, true; more; call++ {
					synctest.Test(t, func(t *testing.T) { more = faultAt(t, handler, call, kind) })
				}
			})
		}
	}
}

// faultAt tells whether the scenario came to that call.
func faultAt(t *testing.T, handler func(context.Context, *job.Job[note]) error, call int, kind fault.Kind) bool {
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), handler))
	id := w.enqueue("x", nil)
	w.faults.At = fault.Once(call, kind)
	for deliveries := 1; len(w.deliver(message(id))) > 0; deliveries++ {
		if deliveries > 10 {
			t.Fatalf("call %d: delivered %d times", call, deliveries)
		}
		wait := w.hiddenFor(message(id))
		if wait < 0 {
			wait = 6 * time.Minute // the queue's visibility timeout
		}
		time.Sleep(wait)
	}
	if rec := w.get(id); rec.State != lifecycle.Done {
		t.Errorf("call %d: acknowledged, and the row is %s: %+v", call, rec.State, rec.Error)
	}
	return w.faults.Calls() > call
}

// A claim whose answer was lost is given back: nobody ran the job.
func TestAClaimOfUnknownFateCostsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		id := w.enqueue("x", nil)
		w.faults.At = fault.Once(0, fault.Lost)
		if failed := w.deliver(message(id)); len(failed) != 1 || w.hiddenFor(message(id)) > time.Minute {
			t.Errorf("failed %v, hidden for %v", failed, w.hiddenFor(message(id)))
		}
		if rec := w.get(id); rec.State != lifecycle.Queued || rec.Attempt != 0 {
			t.Errorf("the row is %s, attempt %d", rec.State, rec.Attempt)
		}
	})
}
