package worker_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const unhidden = -1

// claimAs claims a job as another worker does.
func claimAs(t *testing.T, w *world, id job.ID, lease time.Duration, alone bool) store.Record {
	t.Helper()
	claim, err := w.jobs.Claim(t.Context(), id, store.Lease{Token: "another", Until: time.Now().Add(lease), Alone: alone})
	if err != nil || !claim.Granted {
		t.Fatalf("claim: %+v, %v", claim, err)
	}
	return claim.Record
}

func endAs(t *testing.T, w *world, id job.ID, outcome lifecycle.Outcome) {
	t.Helper()
	if _, err := w.jobs.Finish(t.Context(), claimAs(t, w, id, time.Minute, true), outcome); err != nil {
		t.Fatal(err)
	}
}

// Each row of the table "the claim finds | the message".
func TestWhatTheClaimFinds(t *testing.T) {
	later := func(d time.Duration) func(*store.NewJob) {
		return func(n *store.NewJob) { n.NotBefore = time.Now().Add(d) }
	}
	tests := []struct {
		name   string
		find   func(t *testing.T, w *world) job.ID
		runs   int
		failed bool
		hidden time.Duration
		state  lifecycle.State
		// attempt is the row's afterwards.
		attempt int
	}{
		{"claimed", func(_ *testing.T, w *world) job.ID { return w.enqueue("x", nil) }, 1, false, unhidden, lifecycle.Done, 1},
		{"done", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			endAs(t, w, id, lifecycle.Outcome{To: lifecycle.Done})
			return id
		}, 0, false, unhidden, lifecycle.Done, 1},
		{"dead", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			endAs(t, w, id, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
			return id
		}, 0, false, unhidden, lifecycle.Dead, 1},
		{"cancelled", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			if _, err := w.jobs.Cancel(t.Context(), id, ""); err != nil {
				t.Fatal(err)
			}
			return id
		}, 0, false, unhidden, lifecycle.Cancelled, 0},
		{"scheduled", func(_ *testing.T, w *world) job.ID { return w.enqueue("x", later(time.Hour)) }, 0, false, unhidden, lifecycle.Scheduled, 0},
		{"no row", func(t *testing.T, w *world) job.ID {
			id, err := w.jobs.NewID()
			if err != nil {
				t.Fatal(err)
			}
			return id
		}, 0, false, unhidden, lifecycle.None, 0},
		{"not before its time", func(_ *testing.T, w *world) job.ID { return w.enqueue("x", later(10*time.Minute)) }, 0, true, 10 * time.Minute, lifecycle.Queued, 0},
		{"running elsewhere", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			claimAs(t, w, id, time.Minute, false)
			return id
		}, 0, true, time.Minute + lifecycle.LeaseMargin, lifecycle.Running, 1},
		{"its worker died among others", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			claimAs(t, w, id, -time.Minute, false)
			return id
		}, 1, false, unhidden, lifecycle.Done, 1},
		{"its worker died alone", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			claimAs(t, w, id, -time.Minute, true)
			return id
		}, 1, false, unhidden, lifecycle.Done, 2},
		{"its worker died alone in the last attempt", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", func(n *store.NewJob) { n.MaxAttempts = 1 })
			claimAs(t, w, id, -time.Minute, true)
			return id
		}, 0, false, unhidden, lifecycle.Dead, 1},
		{"its worker died after a cancellation was asked", func(t *testing.T, w *world) job.ID {
			id := w.enqueue("x", nil)
			claimAs(t, w, id, -time.Minute, true)
			if _, err := w.jobs.Cancel(t.Context(), id, ""); err != nil {
				t.Fatal(err)
			}
			return id
		}, 0, false, unhidden, lifecycle.Cancelled, 1},
		{"a task of another version", func(_ *testing.T, w *world) job.ID {
			return w.enqueue("x", func(n *store.NewJob) { n.Task = "note.newer" })
		}, 0, true, time.Minute, lifecycle.Queued, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				q := notes(nil)
				w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { runs++; return nil }))
				m := message(tt.find(t, w))
				failed := w.deliver(m)
				if (len(failed) == 1) != tt.failed {
					t.Errorf("failed: %v, want %v", failed, tt.failed)
				}
				if runs != tt.runs {
					t.Errorf("%d runs, want %d", runs, tt.runs)
				}
				if got := w.hiddenFor(m); got != tt.hidden {
					t.Errorf("hidden for %v, want %v", got, tt.hidden)
				}
				if tt.state == lifecycle.None {
					return
				}
				parsed, err := queue.DecodeMessage(m.body)
				if err != nil {
					t.Fatal(err)
				}
				if rec := w.get(parsed.ID); rec.State != tt.state || rec.Attempt != tt.attempt {
					t.Errorf("the row is %s, attempt %d; want %s, %d", rec.State, rec.Attempt, tt.state, tt.attempt)
				}
			})
		})
	}
}

func TestALostLeaseIsNeverAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *world
		q := notes(nil)
		w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
			found := store.Record{ID: j.ID, Row: lifecycle.Row{Token: job.Token(j), MaxAttempts: 3, Attempt: 1}}
			_, err := w.jobs.TakeOver(ctx, found, store.Lease{Token: "thief", Until: time.Now().Add(time.Hour)})
			return err
		}))
		id := w.enqueue("x", nil)
		if failed := w.deliver(message(id)); !slices.Equal(failed, []string{"m-" + string(id)}) {
			t.Errorf("failed: %v", failed)
		}
		if rec := w.get(id); rec.State != lifecycle.Running || rec.Token != "thief" {
			t.Errorf("the row is %s under %q: the loser wrote to it", rec.State, rec.Token)
		}
	})
}

// An owner that was thought dead lets its job wait again just before it is taken
// over: the message at hand may be the only one that the job has.
func TestAJobThatWaitsAgainKeepsItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { runs++; return nil }))
		id := w.enqueue("x", nil)
		owner := claimAs(t, w, id, -time.Minute, false)
		w.faults.At = func(call int) fault.Kind {
			if call == 1 { // the first is the claim, the second takes over
				if _, err := w.jobs.Finish(t.Context(), owner, lifecycle.Outcome{To: lifecycle.Queued, Err: errors.New("late")}); err != nil {
					t.Error(err)
				}
			}
			return fault.None
		}
		m := message(id)
		if failed := w.deliver(m); len(failed) != 1 {
			t.Errorf("the message was acknowledged, and its job is %s", w.get(id).State)
		}
		if failed := w.deliver(m); len(failed) != 0 || runs != 1 || w.get(id).State != lifecycle.Done {
			t.Errorf("failed %v, %d runs, the job is %s", failed, runs, w.get(id).State)
		}
	})
}
