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
