package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A diary notes what handlers did, by the text of their job.
type diary struct {
	mu      sync.Mutex
	entries []string
	running int
	most    int
}

func (d *diary) begin(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, text)
	d.running++
	d.most = max(d.most, d.running)
}

func (d *diary) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
}

// diarist fails jobs whose text begins with "bad" and takes a second for each.
func diarist(d *diary) func(context.Context, *job.Job[note]) error {
	return func(_ context.Context, j *job.Job[note]) error {
		d.begin(j.Args.Text)
		defer d.end()
		time.Sleep(time.Second)
		if strings.HasPrefix(j.Args.Text, "bad") {
			return errors.New("boom")
		}
		return nil
	}
}

func TestSideBySideUpToTheBound(t *testing.T) {
	for _, bound := range []int{1, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			q := notes(func(q *job.Queue) { q.Bound = bound })
			w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
			var batch []sent
			for i := range 10 {
				batch = append(batch, message(w.enqueue(fmt.Sprint(i), nil)))
			}
			started := time.Now()
			if failed := w.deliver(batch...); len(failed) != 0 {
				t.Errorf("failed: %v", failed)
			}
			want := time.Duration((10+bound-1)/bound) * time.Second
			if took := time.Since(started); d.most != bound || took != want {
				t.Errorf("bound %d: %d at once, in %v; want %v", bound, d.most, took, want)
			}
		})
	}
}

func TestOneFailureIsOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		ok1, bad, ok2 := message(w.enqueue("1", nil)), message(w.enqueue("bad", nil)), message(w.enqueue("2", nil))
		if failed := w.deliver(ok1, bad, ok2); !slices.Equal(failed, []string{bad.id}) {
			t.Errorf("failed %v, want %s alone", failed, bad.id)
		}
		// A warm worker knows nothing of the batch before.
		time.Sleep(time.Minute)
		if failed := w.deliver(message(w.enqueue("bad", nil)), message(w.enqueue("3", nil))); len(failed) != 1 {
			t.Errorf("the second batch: %v", failed)
		}
	})
}

// Groups run side by side, each in order; a failure stops its own group, whose
// later jobs are not tried.
func TestGroupsKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(func(q *job.Queue) { q.FIFO = true })
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		in := func(group, text string) sent {
			return message(w.enqueue(text, func(n *store.NewJob) { n.ID = n.ID.InGroup("notes", group) }))
		}
		a1, b1, a2, b2, a3 := in("a", "bad a1"), in("b", "b1"), in("a", "a2"), in("b", "b2"), in("a", "a3")
		groupless := in("c", "c")
		groupless.group = ""
		failed := w.deliver(a1, b1, a2, b2, a3, groupless)
		if want := []string{a1.id, a2.id, a3.id, groupless.id}; !slices.Equal(failed, want) {
			t.Errorf("failed %v, want %v", failed, want)
		}
		if b := slices.DeleteFunc(slices.Clone(d.entries), func(e string) bool { return !strings.HasPrefix(e, "b") || strings.HasPrefix(e, "bad") }); !slices.Equal(b, []string{"b1", "b2"}) {
			t.Errorf("group b ran as %v", b)
		}
		if slices.Contains(d.entries, "a2") || slices.Contains(d.entries, "a3") || slices.Contains(d.entries, "c") {
			t.Errorf("jobs that must wait ran: %v", d.entries)
		}
		if d.most != 2 {
			t.Errorf("%d groups at once, want 2", d.most)
		}
		if w.hiddenFor(a2) != 0 {
			t.Errorf("a2 is hidden for %v, want 0: it was not tried", w.hiddenFor(a2))
		}
	})
}

// A job of a group that waits holds the ones behind it up, however long.
func TestAFIFOJobWaitsInItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(func(q *job.Queue) { q.FIFO = true })
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return job.Snooze(20 * time.Hour) }))
		id := w.enqueue("x", func(n *store.NewJob) { n.ID = n.ID.InGroup("notes", "a") })
		w.deliver(message(id))
		if got := w.hiddenFor(message(id)); got != 11*time.Hour+45*time.Minute {
			t.Errorf("hidden for %v, want what SQS allows", got)
		}
		if rec := w.get(id); rec.State != lifecycle.Queued {
			t.Errorf("the row is %s", rec.State)
		}
	})
}

func TestADuplicateInTheBatchWaitsForTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		first := message(w.enqueue("x", nil))
		second := first
		second.id += "-again"
		if failed := w.deliver(first, second); len(failed) != 1 {
			t.Errorf("failed %v, want one of the two", failed)
		}
		if len(d.entries) != 1 {
			t.Errorf("the job ran %d times", len(d.entries))
		}
	})
}

// A job whose worker died runs when everything else of the batch has ended.
func TestOrphansRunAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := map[string]int{}
		var mu sync.Mutex
		running := 0
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			mu.Lock()
			running++
			d[j.Args.Text] = running
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return nil
		}))
		var batch []sent
		for i := range 4 {
			id := w.enqueue(fmt.Sprint(i), nil)
			if i < 2 {
				claimAs(t, w, id, -time.Minute, false)
			}
			batch = append(batch, message(id))
		}
		started := time.Now()
		if failed := w.deliver(batch...); len(failed) != 0 {
			t.Errorf("failed: %v", failed)
		}
		if d["0"] != 1 || d["1"] != 1 {
			t.Errorf("orphans had others beside them: %v", d)
		}
		if took := time.Since(started); took != 3*time.Second {
			t.Errorf("took %v, want 1 s for the others and 1 s for each orphan", took)
		}
	})
}

// Whether a death would be this job's alone is written with the claim.
func TestAloneIsNoted(t *testing.T) {
	tests := []struct {
		bound, batch int
		want         bool
	}{{10, 1, true}, {10, 2, false}, {1, 2, true}}
	for _, tt := range tests {
		var alone []bool
		var w *world
		var mu sync.Mutex
		q := notes(func(q *job.Queue) { q.Bound = tt.bound })
		w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
			rec, err := w.jobs.Get(ctx, j.ID)
			mu.Lock()
			defer mu.Unlock()
			alone = append(alone, rec.Alone)
			return err
		}))
		var batch []sent
		for range tt.batch {
			batch = append(batch, message(w.enqueue("x", nil)))
		}
		w.deliver(batch...)
		if len(alone) != tt.batch || alone[0] != tt.want {
			t.Errorf("bound %d, batch %d: alone %v, want %v", tt.bound, tt.batch, alone, tt.want)
		}
	}
}

func TestFixtures(t *testing.T) {
	for _, tt := range []struct {
		file string
		fifo bool
	}{{"photos.json", false}, {"sqs-fifo.json", true}} {
		event, err := os.ReadFile("../../events/" + tt.file)
		if err != nil {
			t.Fatal(err)
		}
		q := notes(func(q *job.Queue) { q.FIFO = tt.fifo })
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		// Their jobs don't exist: the messages are acknowledged.
		answer, err := w.worker.Invoke(t.Context(), event)
		if err != nil || !bytes.Equal(answer, []byte(`{"batchItemFailures":[]}`)) {
			t.Errorf("%s: %s, %v", tt.file, answer, err)
		}
	}
}
