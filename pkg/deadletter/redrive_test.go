package deadletter_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestRedrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		id := w.dead(nil)
		time.Sleep(time.Minute)
		summary, results := w.redrive(deadletter.Options{})
		if words(results) != "redriven" || summary.Seen != 1 || summary.Matched != 1 || summary.By[deadletter.Redriven] != 1 || w.left() != 0 {
			t.Errorf("%+v: %s", summary, words(results))
		}
		rec := w.get(id)
		if rec.State != lifecycle.Queued || rec.Attempt != 0 || rec.Error != nil || rec.Publication.To != store.ToQueue("notes") || rec.Client != "ann" || rec.Trace != "Root=1" {
			t.Errorf("the job is %+v", rec)
		}
	})
}

// A job that was redriven dies again after all its
// attempts, and not at the first.
func TestARedrivenJobHasAllItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		id := w.dead(func(n *store.NewJob) { n.MaxAttempts = 1 })
		w.redrive(deadletter.Options{})
		claim, err := w.jobs.Claim(t.Context(), id, store.Lease{Token: "t", Until: time.Now().Add(time.Minute)})
		if err != nil || !claim.Granted || claim.Record.Attempt != 1 {
			t.Errorf("%+v, %v", claim, err)
		}
	})
}

func TestStaleLettersAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		id := w.dead(nil)
		// It was redriven otherwise, and died again: two letters, one of which
		// means nothing.
		if standing, err := deadletter.RedriveJob(t.Context(), w.jobs, id); standing != deadletter.Current || err != nil {
			t.Fatal(standing, err)
		}
		time.Sleep(time.Second)
		w.die(id)
		done := w.dead(nil)
		if _, err := deadletter.RedriveJob(t.Context(), w.jobs, done); err != nil {
			t.Fatal(err)
		}
		w.end(done, lifecycle.Outcome{To: lifecycle.Done})
		summary, _ := w.redrive(deadletter.Options{})
		if summary.By[deadletter.Removed] != 2 || summary.By[deadletter.Redriven] != 1 || w.left() != 0 {
			t.Errorf("%+v", summary)
		}
		if rec := w.get(done); rec.State != lifecycle.Done {
			t.Errorf("the done job is %s", rec.State)
		}
	})
}

// The sweep asked for a second letter of the same death. Either redrives the job,
// and both are gone afterwards.
func TestTwoLettersOfOneDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		id := w.enqueue(nil)
		w.end(id, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
		first := w.get(id)
		body, err := queue.Message{ID: id, N: first.N, Letter: &queue.Letter{DiedAt: first.Finished}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		w.put(queue.Incoming{Body: body})
		if ok, err := w.jobs.RepublishLetter(t.Context(), first); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if summary, _ := w.redrive(deadletter.Options{}); summary.By[deadletter.Redriven] != 1 || w.get(id).State != lifecycle.Queued {
			t.Errorf("the older letter: %+v, the job is %s", summary, w.get(id).State)
		}
		time.Sleep(time.Second)
		w.die(id)
		w.put(queue.Incoming{Body: body})
		if summary, _ := w.redrive(deadletter.Options{}); summary.By[deadletter.Redriven] != 1 || summary.By[deadletter.Removed] != 1 || w.left() != 0 {
			t.Errorf("%+v", summary)
		}
	})
}

func TestAGoneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.dead(nil)
		time.Sleep(lifecycle.DeadRetention + time.Second)
		_, results := w.redrive(deadletter.Options{})
		if words(results) != "refused" || !errors.Is(results[0].Err, deadletter.ErrGone) || w.left() != 1 {
			t.Errorf("%+v", results)
		}
	})
}

func TestATakenKeyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		unique := func(n *store.NewJob) { n.Unique = &store.Unique{Key: "k"} }
		id := w.dead(unique)
		holder := w.enqueue(unique)
		_, results := w.redrive(deadletter.Options{})
		if words(results) != "refused" || !errors.Is(results[0].Err, store.ErrDuplicate) || !strings.Contains(results[0].Err.Error(), string(holder)) || w.left() != 1 {
			t.Errorf("%+v", results)
		}
		w.end(holder, lifecycle.Outcome{To: lifecycle.Done})
		if _, results := w.redrive(deadletter.Options{}); words(results) != "redriven" || w.get(id).State != lifecycle.Queued || w.left() != 0 {
			t.Errorf("the key is free: %+v", results)
		}
	})
}

// A job that dies again while the run lasts is left to a person: the run would not
// end.
func TestTheRunDoesNotLoop(t *testing.T) {
	for name, late := range map[string]time.Duration{"a clock that is right": 0, "a clock that is an hour fast": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(c *deadletter.Config) { c.Now = func() time.Time { return time.Now().Add(late) } })
				id := w.dead(nil)
				deaths := 0
				o := deadletter.Options{Each: func(r deadletter.Result) {
					if r.Status == deadletter.Redriven {
						deaths++
						time.Sleep(time.Second)
						w.die(id)
					}
				}}
				summary, err := w.queue.Redrive(t.Context(), o)
				if err != nil || deaths != 1 || summary.Newer+summary.By[deadletter.Refused] != 1 || w.left() != 1 {
					t.Errorf("%+v, %v: redriven %d times", summary, err, deaths)
				}
			})
		})
	}
}

// Jobs that die while the run lasts are for the next one.
func TestLettersThatArriveMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.dead(nil)
		summary, err := w.queue.Redrive(t.Context(), deadletter.Options{Each: func(deadletter.Result) {
			time.Sleep(time.Second)
			w.dead(nil)
		}})
		if err != nil || summary.Seen != 1 || summary.Newer != 1 || w.left() != 1 {
			t.Errorf("%+v, %v", summary, err)
		}
	})
}

// A crash between the two writes: the row starts anew, the letter stays. The next
// run removes it, whether or not the job has died again by then.
func TestACrashBetweenTheWrites(t *testing.T) {
	for name, diesAgain := range map[string]bool{"waiting": false, "dead again": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				id := w.dead(nil)
				w.sqs.fail = func(call string) error {
					if call == "delete" {
						return errors.New("down")
					}
					return nil
				}
				if _, err := w.queue.Redrive(t.Context(), deadletter.Options{}); err == nil || w.left() != 1 || w.get(id).State != lifecycle.Queued {
					t.Fatalf("%v, the job is %s", err, w.get(id).State)
				}
				w.sqs.fail = nil
				want := map[deadletter.Status]int{deadletter.Removed: 1}
				if diesAgain {
					w.die(id)
					want[deadletter.Redriven] = 1
				}
				n := w.get(id).N
				time.Sleep(time.Minute)
				summary, _ := w.redrive(deadletter.Options{})
				if !maps.Equal(summary.By, want) || w.left() != 0 || !diesAgain && w.get(id).N != n {
					t.Errorf("%+v", summary)
				}
			})
		})
	}
}

// An answer that was lost is a redrive all the same.
func TestALostAnswer(t *testing.T) {
	for kind, want := range map[fault.Kind]string{fault.Lost: "removed", fault.Repeated: "redriven"} {
		synctest.Test(t, func(t *testing.T) { loseTheAnswer(t, kind, want) })
	}
}

func loseTheAnswer(t *testing.T, kind fault.Kind, want string) {
	w := newWorld(t, nil)
	id := w.dead(nil)
	w.faults.At = func(call int) fault.Kind {
		if call == 1 { // the first reads the row
			return kind
		}
		return fault.None
	}
	if _, results := w.redrive(deadletter.Options{}); words(results) != want || w.get(id).State != lifecycle.Queued || w.left() != 0 {
		t.Errorf("%+v", results)
	}
}

func TestThrottlesAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 25 {
			w.dead(nil)
		}
		calls := map[string]int{}
		w.sqs.fail = func(call string) error {
			calls[call]++
			if calls[call] <= 4 && call != "hide" {
				return errors.New("RequestThrottled")
			}
			return nil
		}
		if summary, _ := w.redrive(deadletter.Options{}); summary.By[deadletter.Redriven] != 25 || w.sqs.deleted != 25 {
			t.Errorf("%+v", summary)
		}
	})
}

// A table that is down ends the run with its error, and every letter is there.
func TestATableThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 12 {
			w.dead(nil)
		}
		w.faults.At = func(int) fault.Kind { return fault.Down }
		if summary, err := w.queue.Redrive(t.Context(), deadletter.Options{}); err == nil || w.left() != 12 {
			t.Errorf("%+v, %v", summary, err)
		}
		w.faults.At = nil
		if summary, _ := w.redrive(deadletter.Options{}); summary.By[deadletter.Redriven] != 12 || w.left() != 0 {
			t.Errorf("run again: %+v", summary)
		}
	})
}

// A run that is stopped makes what it holds visible at once, and goes on by being
// run again.
func TestARunThatIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 30 {
			w.dead(nil)
		}
		ctx, stop := context.WithCancel(t.Context())
		summary, err := w.queue.Redrive(ctx, deadletter.Options{Rate: 1, Each: func(deadletter.Result) {
			if w.sqs.deleted == 15 {
				stop()
			}
		}})
		if !errors.Is(err, context.Canceled) || w.left() == 0 || w.left() > 15 {
			t.Errorf("%+v, %v, %d left", summary, err, w.left())
		}
		left := w.left()
		if again, _ := w.redrive(deadletter.Options{}); again.By[deadletter.Redriven]+again.By[deadletter.Removed] != left || w.left() != 0 {
			t.Errorf("run again: %+v of %d", again, left)
		}
	})
}

func TestRedriveJob(t *testing.T) {
	w := newWorld(t, nil)
	dead, waiting := w.dead(nil), w.enqueue(nil)
	gone, err := w.jobs.NewID()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id   job.ID
		want deadletter.Standing
	}{{dead, deadletter.Current}, {dead, deadletter.Stale}, {waiting, deadletter.Stale}, {gone, deadletter.Gone}} {
		if got, err := deadletter.RedriveJob(t.Context(), w.jobs, c.id); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.id, got, err, c.want)
		}
	}
	if rec := w.get(dead); rec.State != lifecycle.Queued || rec.Attempt != 0 {
		t.Errorf("the job is %+v", rec)
	}
}
