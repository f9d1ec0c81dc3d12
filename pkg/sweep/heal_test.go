package sweep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func TestWhatTheScanHeals(t *testing.T) {
	const lostAfter = sweep.RelayPatience + time.Second // rows here still ask to be published
	published := func(w *world, id job.ID) {            // the relay sent it, a worker put it off
		w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Queued})
	}
	tests := []struct {
		name   string
		queue  string
		before func(w *world, id job.ID)
		wait   time.Duration
		state  lifecycle.State
		n      int64
	}{
		{"waiting, and not for long", "idle", nil, time.Minute, lifecycle.Queued, 1},
		{"never published, the queue idle", "idle", nil, lostAfter, lifecycle.Queued, 2},
		{"never published, the relay may still try", "idle", nil, longestWait + sweep.Margin + time.Second, lifecycle.Queued, 1},
		{"its message lost, the queue idle", "idle", published, longestWait + sweep.Margin + time.Second, lifecycle.Queued, 2},
		{"its message may still come", "idle", published, longestWait + sweep.Margin - time.Second, lifecycle.Queued, 1},
		{"the queue is slow", "slow", published, 5 * time.Hour, lifecycle.Queued, 1},
		{"the queue can't be counted now", "denied", published, 48 * time.Hour, lifecycle.Queued, 1},
		{"the queue is not counted", "uncounted", published, sweep.UncountedPatience - time.Second, lifecycle.Queued, 1},
		{"the queue is not counted, and hours went by", "uncounted", published, sweep.UncountedPatience + time.Second, lifecycle.Queued, 2},
		{"a queue without a plan", "foreign", published, sweep.UncountedPatience + time.Second, lifecycle.Queued, 2},
		{"running", "idle", func(w *world, id job.ID) { w.claim(id, time.Minute) }, 59 * time.Second, lifecycle.Running, 1},
		{"running, its message may still come", "idle", func(w *world, id job.ID) { w.claim(id, time.Minute) },
			time.Minute + visibility + longestWait + sweep.Margin, lifecycle.Running, 1},
		{"its worker dead, its message lost", "idle", func(w *world, id job.ID) { w.claim(id, time.Minute) },
			time.Minute + visibility + longestWait + sweep.Margin + time.Second, lifecycle.Queued, 2},
		{"its letter not out", "slow", func(w *world, id job.ID) {
			w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
		}, sweep.RelayPatience + time.Second, lifecycle.Dead, 3},
		{"its letter not out, the relay may still try", "slow", func(w *world, id job.ID) {
			w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
		}, sweep.RelayPatience - time.Second, lifecycle.Dead, 2},
		{"its letter out", "idle", func(w *world, id job.ID) {
			w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
			if err := w.jobs.LetterSent(w.t.Context(), id, 2); err != nil {
				w.t.Fatal(err)
			}
		}, 48 * time.Hour, lifecycle.Dead, 2},
		{"done", "idle", func(w *world, id job.ID) { w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Done}) }, 48 * time.Hour, lifecycle.Done, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				id := w.enqueue(tt.queue, 0)
				if tt.before != nil {
					tt.before(w, id)
				}
				time.Sleep(tt.wait)
				w.scanAll()
				rec := w.get(id)
				if rec.State != tt.state || rec.N != tt.n {
					t.Errorf("the row is %s, n %d; want %s, %d", rec.State, rec.N, tt.state, tt.n)
				}
				if healed := tt.n > 1 && tt.state == lifecycle.Queued; healed && rec.Publication == nil {
					t.Error("healed, and not asking to be published")
				}
				// What was healed is given time: the next scan leaves it alone.
				if tt.n == 1 {
					return
				}
				if w.scanAll(); w.get(id).N != tt.n {
					t.Errorf("the second scan published it again: n %d", w.get(id).N)
				}
			})
		})
	}
}

// In a queue that is never empty, younger jobs that were started tell that a
// message was lost.
func TestAJobThatWasOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		lost := w.enqueue("slow", 0)
		w.finish(w.claim(lost, time.Minute), lifecycle.Outcome{To: lifecycle.Queued})
		time.Sleep(longestWait + sweep.Margin + time.Minute)
		w.claim(w.enqueue("slow", 0), time.Hour)
		w.scanAll() // finds the witness, in whatever order
		w.scanAll()
		if rec := w.get(lost); rec.N != 2 {
			t.Errorf("n %d: it was not published again", rec.N)
		}
	})
}

// A scheduled row that the due index does not bring up is promoted all the same.
func TestAnOverdueRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		id := w.enqueue("slow", time.Hour)
		// The mark has moved past its minute.
		time.Sleep(time.Hour + sweep.Overdue + time.Second)
		if ok, err := w.jobs.SetMark(t.Context(), "checkpoint", "", time.Now().UTC().Format("2006-01-02T15:04Z")); !ok || err != nil {
			t.Fatal(ok, err)
		}
		w.scanAll()
		if rec := w.get(id); rec.State != lifecycle.Queued {
			t.Errorf("the row is %s", rec.State)
		}
	})
}

// A scan that is broken off goes on where it was, and a fault keeps nothing from
// being healed in the end.
func TestTheScanGoesOn(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Down, fault.Lost} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			var ids []job.ID
			for range 40 {
				ids = append(ids, w.enqueue("idle", 0))
			}
			time.Sleep(sweep.RelayPatience + time.Second)
			w.faults.At = func(call int) fault.Kind {
				if call%5 == 3 {
					return kind
				}
				return fault.None
			}
			for range aPass {
				_ = w.run() // may fail: that is the point
			}
			w.faults.At = nil
			for range 2 * aPass {
				if err := w.run(); err != nil {
					t.Fatal(err)
				}
			}
			for _, id := range ids {
				if rec := w.get(id); rec.N != 2 {
					t.Errorf("%v: %s has n %d, want 2", kind, id, rec.N)
				}
			}
		})
	}
}

// noScan can't scan.
type noScan struct{ store.Driver }

func (noScan) Scan(context.Context, store.Scan) (store.Page, error) {
	return store.Page{}, errors.New("throttled")
}

func TestASegmentThatCanNotBeReadIsNotPassedOver(t *testing.T) {
	w := newWorld(t)
	s, err := sweep.New(sweep.Config{Jobs: jobsOn(t, noScan{w.memory})})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Handle(t.Context()); err == nil {
		t.Error("no error")
	}
	if mark, err := w.jobs.Mark(t.Context(), "scan"); err != nil || mark != `{"segment":0}` {
		t.Errorf("the scan stands at %s, %v", mark, err)
	}
}

// One row that makes no sense keeps no other from being healed.
func TestARowThatCanNotBeReadDoesNotStopTheScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ids := []job.ID{w.enqueue("idle", 0), w.enqueue("idle", 0), w.enqueue("idle", 0)}
		w.muddle(ids[1])
		time.Sleep(sweep.RelayPatience + time.Second)
		w.scanAll()
		for _, id := range []job.ID{ids[0], ids[2]} {
			if rec := w.get(id); rec.N != 2 {
				t.Errorf("%s was not healed", id)
			}
		}
	})
}

func TestAMarkThatMakesNoSense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, text := range []string{"?", `{"segment":60}`, `{"segment":-1}`} {
			old, err := w.jobs.Mark(t.Context(), "scan")
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := w.jobs.SetMark(t.Context(), "scan", old, text); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if err := w.run(); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func TestMarks(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, step := range []struct {
		from, to string
		want     bool
	}{{"", "a", true}, {"", "b", false}, {"x", "b", false}, {"a", "b", true}} {
		if ok, err := w.jobs.SetMark(ctx, "m", step.from, step.to); ok != step.want || err != nil {
			t.Errorf("%q to %q: %v, %v; want %v", step.from, step.to, ok, err, step.want)
		}
	}
	if got, err := w.jobs.Mark(ctx, "m"); got != "b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if rows := w.memory.Rows(); len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	} else if _, err := store.Decode(rows[0]); !errors.Is(err, store.ErrNotAJob) {
		t.Errorf("a mark counts as a job: %v", err)
	}
}
