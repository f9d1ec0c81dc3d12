package worker_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// What was received and not begun is visible at once; what can end in time does;
// what can't is given back.
func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(func(q *job.Queue) { q.Bound, q.Batch = 3, 5 })
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 10 * time.Minute})
		causes := map[string]error{}
		var d diary
		w := newPolled(t, q, worker.Handle(long, func(ctx context.Context, j *job.Job[note]) error {
			d.begin(j.Args.Text)
			switch j.Args.Text {
			case "soon":
				time.Sleep(20 * time.Second)
				return nil
			case "saves":
				<-ctx.Done()
				return job.Continue(7)
			}
			<-ctx.Done()
			causes[j.Args.Text] = context.Cause(ctx)
			return ctx.Err()
		}))
		soon, saves, long1, untried := w.add("soon", nil), w.add("saves", nil), w.add("long", nil), w.add("untried", nil)
		stop := w.poll()
		time.Sleep(10 * time.Second)
		begun := time.Now()
		if err := stop(); err != nil || len(w.exits) != 0 {
			t.Errorf("Poll: %v, exits %v", err, w.exits)
		}
		if took := time.Since(begun).Round(time.Second); took != worker.DefaultDrain {
			t.Errorf("it took %v", took)
		}
		if !errors.Is(causes["long"], worker.ErrShutdown) {
			t.Errorf("the cause: %v", causes["long"])
		}
		w.is(soon, lifecycle.Done, 1)
		w.is(saves, lifecycle.Queued, 0)
		w.is(long1, lifecycle.Queued, 0)
		w.is(untried, lifecycle.Queued, 0)
		if w.line.of(soon) != nil || string(w.get(saves).Cursor) != "7" {
			t.Errorf("a message that is left, or a cursor that is not: %s", w.get(saves).Cursor)
		}
		for _, id := range []job.ID{saves, long1, untried} {
			if wait := w.line.visibleIn(id); wait != 0 {
				t.Errorf("a message is hidden for %v", wait)
			}
		}
		if slices.Contains(d.entries, "untried") {
			t.Error("a job was begun while the process drained")
		}
		asks := len(w.line.asks)
		time.Sleep(time.Hour)
		if len(w.line.asks) != asks {
			t.Error("it received after its end")
		}
	})
}

// A handler that does not stop ends the process; others have the time to drain.
func TestAHandlerThatDoesNotStopEndsThePoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := notes(func(q *job.Queue) { q.Batch = 1 })
		w := newPolled(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			switch j.Args.Text {
			case "deaf":
				<-release
			case "slow":
				time.Sleep(19 * time.Second)
			}
			return nil
		}))
		w.config.Pollers["notes"] = 2
		deaf := w.add("deaf", nil)
		ended := make(chan error)
		go func() { ended <- w.worker.Poll(context.Background(), w.config) }()
		time.Sleep(10 * time.Second)
		slow := w.add("slow", nil)
		time.Sleep(13 * time.Second) // 20 s and Grace after the beginning
		w.is(deaf, lifecycle.Running, 1)
		later := w.add("later", nil)
		if err := <-ended; !errors.Is(err, worker.ErrStuck) || !slices.Equal(w.exits, []int{1}) {
			t.Errorf("Poll: %v, exits %v", err, w.exits)
		}
		w.is(slow, lifecycle.Done, 1)
		w.is(later, lifecycle.Queued, 0)
		w.is(deaf, lifecycle.Queued, 1)
		if rec := w.get(deaf); rec.Error.Code != "timeout" {
			t.Errorf("the deaf job: %+v", rec.Error)
		}
		close(release)
	})
}
