package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Errors and values whose own methods panic: a nil pointer in an interface is the
// usual way to come by one.
type (
	nilError  struct{ text string }
	badCode   struct{ error }
	badIs     struct{ error }
	badUnwrap struct{ cause *nilError }
	badJSON   struct{ inner *nilError }
)

func (e *nilError) Error() string              { return e.text }
func (badCode) ErrorCode() string              { panic("no code") }
func (badIs) Is(error) bool                    { panic("no comparison") }
func (badUnwrap) Error() string                { return "boom" }
func (e badUnwrap) Unwrap() error              { return errors.New(e.cause.text) }
func (b badJSON) MarshalJSON() ([]byte, error) { return []byte(b.inner.text), nil }

// What a handler returns is code of the user's as well: a panic in it is that
// record's failure, and its batch-mates end as they would.
func TestWhatAHandlerReturnsMayPanic(t *testing.T) {
	var none *nilError
	for name, c := range map[string]struct {
		result any
		err    error
		wait   func(int) time.Duration
	}{
		"an error that is a nil pointer":         {nil, none, nil},
		"such an error in another":               {nil, errors.Join(errors.New("boom"), none), nil},
		"such an error for good":                 {nil, job.Fail(none), nil},
		"such an error with a wait":              {nil, job.RetryAfter(time.Second, none), nil},
		"an error whose code panics":             {nil, badCode{errors.New("boom")}, nil},
		"an error whose comparison panics":       {nil, badIs{errors.New("boom")}, nil},
		"an error whose cause panics":            {nil, badUnwrap{}, nil},
		"a result that can't be encoded":         {badJSON{}, nil, nil},
		"a cursor that can't be encoded":         {nil, job.Continue(badJSON{}), nil},
		"a wait of the policy's own that panics": {nil, errors.New("boom"), func(int) time.Duration { panic("no wait") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := notes(nil)
				define := job.DefineResult[note, any]("note.write", job.Policy{Queue: q, Timeout: 20 * time.Second, Backoff: backoff.Policy{Wait: c.wait}})
				w := newWorld(t, q, worker.HandleResult(define, func(_ context.Context, j *job.Job[note]) (any, error) {
					if j.Args.Text == "bad" {
						return c.result, c.err
					}
					return "good", nil
				}))
				first, bad, last := w.enqueue("1", nil), w.enqueue("bad", nil), w.enqueue("2", nil)
				w.deliver(message(first), message(bad), message(last))
				for _, id := range []job.ID{first, last} {
					if rec := w.get(id); rec.State != lifecycle.Done {
						t.Errorf("a batch-mate is %s", rec.State)
					}
				}
				w.redeliver(message(bad))
				if rec := w.get(bad); rec.State != lifecycle.Dead || rec.Error == nil || rec.Error.Code == "" {
					t.Errorf("it is %s, attempt %d: %+v", rec.State, rec.Attempt, rec.Error)
				}
			})
		})
	}
}
