package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A handler that ignores its context costs its own attempt; its batch-mates'
// outcomes are written, nothing more is started, and the process exits.
func TestAHandlerThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := notes(func(q *job.Queue) { q.Bound = 2 })
		w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			switch j.Args.Text {
			case "deaf":
				<-release
			case "slow":
				time.Sleep(19 * time.Second)
			}
			return nil
		}))
		deaf, slow := w.enqueue("deaf", nil), w.enqueue("slow", nil)
		last, untried := w.enqueue("slow", nil), w.enqueue("x", nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		answer, err := w.worker.Invoke(ctx, w.event(message(deaf), message(slow), message(last), message(untried)))
		if answer != nil || !errors.Is(err, worker.ErrStuck) || !slices.Equal(w.exits, []int{1}) {
			t.Errorf("answer %s, error %v, exits %v", answer, err, w.exits)
		}
		if rec := w.get(deaf); rec.State != lifecycle.Queued || rec.Attempt != 1 || rec.Error.Code != "timeout" {
			t.Errorf("the deaf job is %s, attempt %d: %+v", rec.State, rec.Attempt, rec.Error)
		}
		for _, id := range []job.ID{slow, last} {
			if rec := w.get(id); rec.State != lifecycle.Done {
				t.Errorf("a batch-mate is %s", rec.State)
			}
		}
		if rec := w.get(untried); rec.State != lifecycle.Queued || rec.Attempt != 0 {
			t.Errorf("the untried job is %s, attempt %d", rec.State, rec.Attempt)
		}
		if w.hiddenFor(message(deaf)) <= 0 || w.hiddenFor(message(untried)) != 0 {
			t.Errorf("hidden: deaf %v, untried %v", w.hiddenFor(message(deaf)), w.hiddenFor(message(untried)))
		}
		close(release)
	})
}

// What is not tried for want of time costs nothing and comes again at once; a
// task that may take as long as its function runs all the same.
func TestTimeIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(func(q *job.Queue) { q.Bound = 1 })
		long := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 2 * time.Minute})
		var left []time.Duration
		w := newWorld(t, q, worker.Handle(long, func(ctx context.Context, _ *job.Job[note]) error {
			deadline, _ := ctx.Deadline()
			left = append(left, time.Until(deadline))
			time.Sleep(20 * time.Second)
			return nil
		}))
		var batch []sent
		for range 4 {
			batch = append(batch, message(w.enqueue("x", nil)))
		}
		failed := w.deliver(batch...)
		if want := []string{batch[2].id, batch[3].id}; !slices.Equal(failed, want) {
			t.Errorf("failed %v, want %v", failed, want)
		}
		if want := []time.Duration{57 * time.Second, 37 * time.Second}; !slices.Equal(left, want) {
			t.Errorf("the handlers had %v, want %v", left, want)
		}
		for _, m := range batch[2:] {
			if w.hiddenFor(m) != 0 {
				t.Errorf("%s is hidden for %v", m.id, w.hiddenFor(m))
			}
			if rec := w.get(job.ID(strings.TrimPrefix(m.id, "m-"))); rec.State != lifecycle.Queued || rec.Attempt != 0 {
				t.Errorf("it is %s, attempt %d", rec.State, rec.Attempt)
			}
		}
	})
}

func TestTheLeaseOutlivesTheHandler(t *testing.T) {
	for name, invocation := range map[string]time.Duration{"with a deadline": time.Minute, "without": 0} {
		synctest.Test(t, func(t *testing.T) {
			var w *world
			q := notes(nil)
			w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
				deadline, ok := ctx.Deadline()
				rec, err := w.jobs.Get(ctx, j.ID)
				if !ok || rec.LeaseUntil.Sub(deadline) < worker.Grace+time.Second {
					t.Errorf("%s: the context ends at %v, the lease at %v", name, deadline, rec.LeaseUntil)
				}
				return err
			}))
			ctx := t.Context()
			if invocation > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, invocation)
				defer cancel()
			}
			answer, err := w.worker.Invoke(ctx, w.event(message(w.enqueue("x", nil))))
			if err != nil || len(failures(t, answer)) != 0 {
				t.Errorf("%s, %v", answer, err)
			}
		})
	}
}

func TestWaitsThatCanNotBeSetAreStillFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		w.sqs.hideErr = errors.New("throttled")
		bad := message(w.enqueue("bad", nil))
		if failed := w.deliver(bad); !slices.Equal(failed, []string{bad.id}) {
			t.Errorf("failed: %v", failed)
		}
	})
}
