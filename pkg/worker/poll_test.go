package worker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A process polls, runs, retries, acknowledges, and ends when it is told to.
func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(nil)
		w := newPolled(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			if j.Args.Text == "twice" && j.Attempt == 1 {
				return errors.New("boom")
			}
			return nil
		}))
		stop := w.poll()
		var ids []job.ID
		for i := range 12 {
			ids = append(ids, w.add(fmt.Sprint(i), nil))
		}
		twice := w.add("twice", nil)
		w.until(append(ids, twice)...)
		if err := stop(); err != nil || len(w.exits) != 0 {
			t.Errorf("Poll: %v, exits %v", err, w.exits)
		}
		for _, id := range ids {
			w.is(id, lifecycle.Done, 1)
		}
		w.is(twice, lifecycle.Done, 2)
		if len(w.line.messages) != 0 {
			t.Errorf("%d messages were not deleted", len(w.line.messages))
		}
		if ask := w.line.asks[0]; ask.Wait != queue.LongestPoll || ask.Most != 10 || ask.Hide <= worker.DefaultHold || ask.Attempt != "" {
			t.Errorf("asked for %+v", ask)
		}
	})
}

// From the receive to the answer a process is busy, and while it waits it is not.
func TestPollSaysWhenItIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(nil)
		var busy, batches atomic.Int64
		w := newPolled(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error {
			if busy.Load() != 1 {
				t.Errorf("a handler runs while the process is busy %d times", busy.Load())
			}
			time.Sleep(time.Second)
			return nil
		}))
		w.config.Busy = func() func() {
			busy.Add(1)
			batches.Add(1)
			return func() {
				if len(w.line.messages) != 0 {
					t.Error("it was not busy any more before its messages were deleted")
				}
				busy.Add(-1)
			}
		}
		stop := w.poll()
		time.Sleep(time.Hour)
		if batches.Load() != 0 {
			t.Error("busy with an empty queue")
		}
		w.until(w.add("x", nil))
		if err := stop(); err != nil || busy.Load() != 0 || batches.Load() != 1 {
			t.Errorf("%v; busy %d times, with %d batches", err, busy.Load(), batches.Load())
		}
	})
}

func TestReceivesThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(func(q *job.Queue) { q.FIFO = true })
		w := newPolled(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		w.line.receiveErr = func(n int) error {
			if n < 5 {
				return errors.New("down")
			}
			return nil
		}
		id := w.add("x", func(n *store.NewJob) { n.ID = n.ID.InGroup("notes", "g") })
		started := time.Now()
		stop := w.poll()
		w.until(id)
		// Half of 1, 2, 4, 8 and 16 seconds.
		if took := time.Since(started); took < 15*time.Second || took > 17*time.Second {
			t.Errorf("it took %v", took)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		// A FIFO queue's receive is repeated under its name, so that an answer
		// that was lost holds up no group.
		names := map[string]int{}
		for _, ask := range w.line.asks {
			names[ask.Attempt]++
		}
		if first := w.line.asks[0].Attempt; first == "" || names[first] != 6 {
			t.Errorf("the names of receives: %v", names)
		}
	})
}

// Several pollers share a FIFO queue: groups side by side, each in order, and a
// failure stops its own.
func TestPollKeepsTheOrderOfGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(func(q *job.Queue) { q.FIFO, q.Batch = true, 2 })
		w := newPolled(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
			d.begin(j.Args.Text)
			defer d.end()
			time.Sleep(time.Second)
			if j.Args.Text == "a1" && j.Attempt == 1 {
				return errors.New("boom")
			}
			return nil
		}))
		w.config.Pollers["notes"] = 3
		var ids []job.ID
		for i := range 4 {
			for _, group := range []string{"a", "b", "c"} {
				ids = append(ids, w.add(fmt.Sprint(group, i), func(n *store.NewJob) { n.ID = n.ID.InGroup("notes", group) }))
			}
		}
		stop := w.poll()
		w.until(ids...)
		if err := stop(); err != nil {
			t.Error(err)
		}
		for group, want := range map[string]string{"a": "a0 a1 a1 a2 a3", "b": "b0 b1 b2 b3", "c": "c0 c1 c2 c3"} {
			got := slices.DeleteFunc(slices.Clone(d.entries), func(e string) bool { return !strings.HasPrefix(e, group) })
			if strings.Join(got, " ") != want {
				t.Errorf("group %s ran as %v", group, got)
			}
		}
		if d.most < 2 {
			t.Error("the groups did not run side by side")
		}
	})
}

func TestPollConfigs(t *testing.T) {
	q := notes(nil)
	w := newPolled(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
	for name, config := range map[string]worker.PollConfig{
		"Receiver is missing": {},
		"Pollers has 0":       {Receiver: w.line, Pollers: map[string]int{"notes": 0}},
		`queue "other"`:       {Receiver: w.line, Pollers: map[string]int{"other": 1}},
		"Hold is 1s":          {Receiver: w.line, Hold: time.Second},
		"Hold is 2h0m0s":      {Receiver: w.line, Hold: 2 * time.Hour},
	} {
		if err := w.worker.Poll(t.Context(), config); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
