package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// One job in ten kills the process that it runs in. The nine beside it pay no
// attempt; it does, for each time that it dies alone, until it is dead.
func TestADeathIsChargedToWhoDiedAlone(t *testing.T) {
	for name, pollers := range map[string]int{"one poller of ten": 1, "three pollers": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { dieAmongTen(t, pollers) })
		})
	}
}

func dieAmongTen(t *testing.T, pollers int) {
	q := notes(func(q *job.Queue) { q.Batch = 10 })
	var w *polled
	var mu sync.Mutex
	running, deaths, beside := 0, 0, 0
	// processFor makes a process that the poison kills.
	processFor := func() (p *worker.Worker, dead *atomic.Bool, life context.Context) {
		life, kill := context.WithCancel(context.Background())
		dead = &atomic.Bool{}
		table := &fault.Driver{Inner: w.memory, At: func(int) fault.Kind {
			if dead.Load() {
				return fault.Down
			}
			return fault.None
		}}
		return w.process(table, mortal{w.line, dead}, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
			mu.Lock()
			running++
			mu.Unlock()
			defer func() {
				mu.Lock()
				running--
				mu.Unlock()
			}()
			time.Sleep(time.Second) // all ten have begun
			if j.Args.Text == "poison" && !dead.Load() {
				mu.Lock()
				deaths++
				beside += running - 1
				mu.Unlock()
				dead.Store(true)
				kill()
			}
			select {
			case <-life.Done():
				return errors.New("dead")
			case <-time.After(time.Second):
				return nil
			}
		})), dead, life
	}
	w = newPolled(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
	w.config.Pollers["notes"], w.config.Drain = pollers, -1
	var ids []job.ID
	for i := range 9 {
		ids = append(ids, w.add(fmt.Sprint(i), nil))
	}
	poison := w.add("poison", nil)

	stopping := make(chan struct{})
	var life sync.WaitGroup
	life.Go(func() { // starts a process anew when it has died
		for {
			p, dead, life := processFor()
			ctx, cancel := context.WithCancel(life)
			go func() {
				select {
				case <-stopping:
					cancel()
				case <-ctx.Done():
				}
			}()
			config := w.config
			config.Receiver = mortal{w.line, dead}
			if err := p.Poll(ctx, config); err != nil {
				t.Error(err)
			}
			cancel()
			select {
			case <-stopping:
				return
			default:
			}
		}
	})
	w.until(append(ids, poison)...)
	close(stopping)
	life.Wait()
	for _, id := range ids {
		w.is(id, lifecycle.Done, 1)
	}
	rec := w.get(poison)
	if rec.State != lifecycle.Dead || rec.Error.Code != "worker_died" || rec.Error.Message != "the worker died 3 times" || rec.Attempt != 3 {
		t.Errorf("the poison is %s, attempt %d: %+v", rec.State, rec.Attempt, rec.Error)
	}
	if deaths != 4 || beside == 0 || beside > 9 {
		t.Errorf("%d deaths, with %d jobs beside; want one among others and three alone", deaths, beside)
	}
}

// A job that was put back after its worker had died runs alone: after the rest of
// its batch, and beside nobody else in the process.
func TestASuspectRunsAlone(t *testing.T) {
	suspect := func(w *world, id job.ID) {
		claimAs(w.t, w, id, -time.Hour, false)
		if ok, err := w.jobs.Requeue(w.t.Context(), w.get(id)); !ok || err != nil {
			w.t.Fatal(ok, err)
		}
	}
	handler := func(d *diary, alone *int) func(context.Context, *job.Job[note]) error {
		return func(_ context.Context, j *job.Job[note]) error {
			d.begin(j.Args.Text)
			defer d.end()
			time.Sleep(10 * time.Second)
			d.mu.Lock()
			defer d.mu.Unlock()
			if j.Args.Text == "suspect" {
				*alone = d.running
			}
			return nil
		}
	}
	t.Run("Invoke", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			alone := 0
			q := notes(nil)
			w := newWorld(t, q, worker.Handle(task(q), handler(&d, &alone)))
			id, other := w.enqueue("suspect", nil), w.enqueue("x", nil)
			suspect(w, id)
			if failed := w.deliver(message(id), message(other)); len(failed) != 0 {
				t.Errorf("failed: %v", failed)
			}
			if rec := w.get(id); alone != 1 || d.most != 1 || rec.State != lifecycle.Done || !rec.Alone {
				t.Errorf("%d ran, %d at most; %+v", alone, d.most, rec)
			}
		})
	})
	t.Run("Poll", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			alone := 0
			q := notes(func(q *job.Queue) { q.Batch = 1 })
			w := newPolled(t, q, worker.Handle(task(q), handler(&d, &alone)))
			w.config.Pollers["notes"] = 4
			id := w.enqueue("suspect", nil)
			suspect(w.world, id)
			var ids []job.ID
			for i := range 8 {
				if i == 4 {
					w.line.put(message(id))
					ids = append(ids, id)
				}
				ids = append(ids, w.add("x", nil))
			}
			stop := w.poll()
			w.until(ids...)
			if err := stop(); err != nil {
				t.Error(err)
			}
			if alone != 1 || d.most != 4 {
				t.Errorf("%d ran with the suspect, %d at most", alone, d.most)
			}
			w.is(id, lifecycle.Done, 1)
		})
	})
	// Who receives something meanwhile puts it back: another process may have time.
	t.Run("received meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var d diary
			alone := 0
			q := notes(func(q *job.Queue) { q.Batch = 1 })
			w := newPolled(t, q, worker.Handle(task(q), handler(&d, &alone)))
			w.config.Pollers["notes"] = 2
			id := w.enqueue("suspect", nil)
			suspect(w.world, id)
			stop := w.poll()
			time.Sleep(time.Second)
			w.line.put(message(id))
			time.Sleep(time.Second)
			other := w.add("x", nil)
			time.Sleep(time.Second)
			if m := w.line.of(other); m.receives != 1 || w.line.visibleIn(other) != 0 || w.get(other).Attempt != 0 {
				t.Errorf("the other message: %+v, %+v", m, w.get(other))
			}
			w.until(id, other)
			if err := stop(); err != nil {
				t.Error(err)
			}
			if alone != 1 || d.most != 1 {
				t.Errorf("%d ran with the suspect, %d at most", alone, d.most)
			}
		})
	})
}

// A claim that was applied, and whose answer was lost, is given back in several
// tries: what is not given back looks like a death.
func TestAGiveBackIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		id := w.enqueue("x", nil)
		w.faults.At = func(call int) fault.Kind {
			return [...]fault.Kind{fault.Lost, fault.Down, fault.Down, fault.None}[call]
		}
		if failed := w.deliver(message(id)); len(failed) != 1 {
			t.Errorf("failed: %v", failed)
		}
		if rec := w.get(id); rec.State != lifecycle.Queued || rec.Attempt != 0 {
			t.Errorf("the row is %s, attempt %d", rec.State, rec.Attempt)
		}
	})
}
