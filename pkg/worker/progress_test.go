package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func TestProgress(t *testing.T) {
	steps := map[string]func(ctx context.Context, w *world, j *job.Job[note]) error{
		"saved": func(ctx context.Context, w *world, j *job.Job[note]) error {
			if err := worker.Progress(ctx, j, map[string]int{"percent": 40}); err != nil {
				return err
			}
			if rec := w.get(j.ID); string(rec.Progress) != `{"percent":40}` {
				return fmt.Errorf("the row has %s", rec.Progress)
			}
			return nil
		},
		"too large": func(ctx context.Context, _ *world, j *job.Job[note]) error {
			return expect(worker.Progress(ctx, j, string(make([]byte, worker.MaxProgress))), "4096 is the limit")
		},
		"no JSON": func(ctx context.Context, _ *world, j *job.Job[note]) error {
			return expect(worker.Progress(ctx, j, func() {}), "encoding the progress")
		},
		"another job's": func(ctx context.Context, _ *world, j *job.Job[note]) error {
			return expect(worker.Progress(ctx, job.New(job.Job[note]{ID: "other"}, job.Internals{}), 1), "not the context")
		},
		"no handler's context": func(_ context.Context, _ *world, j *job.Job[note]) error {
			return expect(worker.Progress(context.Background(), j, 1), "not the context")
		},
		"the table is down": func(ctx context.Context, w *world, j *job.Job[note]) error {
			w.faults.At = func(int) fault.Kind { return fault.Down }
			err := worker.Progress(ctx, j, 1)
			w.faults.At = nil
			if err := expect(err, "saving the progress"); err != nil {
				return err
			}
			return ctx.Err()
		},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			var w *world
			q := notes(nil)
			w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error { return step(ctx, w, j) }))
			id := w.enqueue("x", nil)
			w.deliver(message(id))
			if rec := w.get(id); rec.State != lifecycle.Done {
				t.Errorf("the row is %s: %+v", rec.State, rec.Error)
			}
		})
	}
}

func expect(err error, text string) error {
	if err == nil || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("got %v, want %q", err, text)
	}
	return nil
}

// In Lambda, where there is no heartbeat, progress tells a handler that it may stop.
func TestProgressTellsWhyToStop(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, w *world, id job.ID)
		attempts  int
		want      error
		state     lifecycle.State
	}{
		"cancelled": {func(t *testing.T, w *world, id job.ID) {
			if _, err := w.jobs.Cancel(t.Context(), id, ""); err != nil {
				t.Error(err)
			}
		}, 1, worker.ErrCancelled, lifecycle.Cancelled},
		"lease lost": {func(t *testing.T, w *world, id job.ID) {
			if _, err := w.jobs.TakeOver(t.Context(), w.get(id), store.Lease{Token: "thief", Until: time.Now().Add(time.Hour)}); err != nil {
				t.Error(err)
			}
		}, 2, worker.ErrLeaseLost, lifecycle.Running},
	} {
		t.Run(name, func(t *testing.T) {
			var w *world
			q := notes(nil)
			w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
				tt.meanwhile(t, w, j.ID)
				err := worker.Progress(ctx, j, "half")
				if !errors.Is(err, tt.want) || !errors.Is(context.Cause(ctx), tt.want) {
					t.Errorf("Progress: %v; the cause: %v", err, context.Cause(ctx))
				}
				return err
			}))
			id := w.enqueue("x", func(n *store.NewJob) { n.MaxAttempts = tt.attempts })
			failed := w.deliver(message(id))
			rec := w.get(id)
			if rec.State != tt.state || (len(failed) == 0) != (tt.state == lifecycle.Cancelled) {
				t.Errorf("the row is %s, failed %v", rec.State, failed)
			}
			if name == "cancelled" && string(rec.Progress) != `"half"` {
				t.Errorf("progress %s", rec.Progress)
			}
		})
	}
}
