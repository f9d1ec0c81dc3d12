package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A take-over, a retry and a redrive may each repeat what an earlier attempt had
// begun at a third party: all give it the same key, so that it charges once.
func TestEveryAttemptHandsOutTheSameKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		charged := map[string]int{}
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			if charged[j.Key("charge")]++; charged[j.Key("charge")] < 4 {
				return errors.New("no answer")
			}
			return nil
		}))
		id := w.enqueue("x", func(n *store.NewJob) { n.MaxAttempts = 3 })
		// The first attempt dies after it has charged.
		first := claimAs(t, w, id, -time.Minute, true)
		charged[job.New(job.Job[note]{ID: first.ID}, job.Internals{}).Key("charge")]++
		w.redeliver(message(id))
		if rec := w.get(id); rec.State != lifecycle.Dead {
			t.Fatalf("it is %s", rec.State)
		}
		if ok, err := w.jobs.Redrive(t.Context(), w.get(id)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		w.redeliver(message(id))
		if rec := w.get(id); rec.State != lifecycle.Done || len(charged) != 1 || charged[string(id)+":charge"] != 4 {
			t.Errorf("it is %s, charged by %v", rec.State, charged)
		}
	})
}

// The message of a finished job may come again, since deleting it failed. The
// arguments, which lie elsewhere and may be gone, are not needed to know it.
func TestADuplicateOfAFinishedJobNeedsNoArguments(t *testing.T) {
	for _, end := range []lifecycle.Outcome{
		{To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("boom")}, {To: lifecycle.Cancelled},
		{To: lifecycle.Scheduled, Wait: time.Hour, Err: errors.New("later")},
	} {
		t.Run(string(end.To), func(t *testing.T) {
			q := notes(nil)
			w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error {
				t.Error("it ran again")
				return nil
			}))
			id := w.enqueue("x", func(n *store.NewJob) { n.Args, n.ArgsObject = nil, &lifecycle.Object{Key: "gone", Bytes: 1 << 20} })
			endAs(t, w, id, end)
			before := w.get(id)
			for range 3 {
				if failed := w.deliver(message(id)); len(failed) != 0 || w.hiddenFor(message(id)) != unhidden {
					t.Errorf("failed %v, hidden for %v", failed, w.hiddenFor(message(id)))
				}
			}
			if now := w.get(id); now.State != before.State || now.Attempt != before.Attempt || now.N != before.N {
				t.Errorf("%s became %s", before.State, now.State)
			}
		})
	}
}
