package knownfaults

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const day = 24 * time.Hour

func notes(edit func(*job.Policy)) job.Task[note] {
	policy := job.Policy{Queue: job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 10 * time.Minute, Batch: 5}}
	if edit != nil {
		edit(&policy)
	}
	return job.Define[note]("note.write", policy)
}

// SQS keeps a message for 14 days. With the default policy a job fails for about
// three weeks, and the 25th attempt succeeds: no wait is zero, none is lost with a
// message, and nothing but runs counts. A FIFO queue's job waits in its queue for
// as long, and is found again when SQS has dropped its message.
func TestTheTwentyFifthAttemptComesAfterThreeWeeks(t *testing.T) {
	const attempts = job.DefaultMaxAttempts
	for _, c := range []struct {
		name        string
		random      float64
		least, most time.Duration
		policy      func(*job.Policy)
	}{
		{"waits of average length", 0.5, 20 * day, 23 * day, nil},
		{"the longest waits", 0.999999, 40 * day, 46 * day, nil},
		{"the shortest waits", 0, (attempts - 1) * backoff.DefaultFloor, time.Minute, nil},
		{"waits of average length in a FIFO queue", 0.5, 20 * day, 24 * day, func(p *job.Policy) { p.Queue.FIFO = true }},
		{"the same wait each time", 0.5, 24 * 21 * time.Hour, 25 * 21 * time.Hour, func(p *job.Policy) {
			p.Backoff.Wait = func(int) time.Duration { return 21 * time.Hour }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs []time.Time
				var numbers []int
				s := newStack(t, 1, c.random, notes(c.policy), func(_ context.Context, j *job.Job[note]) error {
					runs, numbers = append(runs, time.Now()), append(numbers, j.Attempt)
					if len(runs) < attempts {
						return errors.New("still broken")
					}
					return nil
				})
				began := time.Now()
				id := s.enqueue(store.NewJob{MaxAttempts: attempts})
				s.run()
				if rec := s.get(id); rec.State != lifecycle.Done || rec.Attempt != attempts || len(runs) != attempts {
					t.Errorf("after %d runs it is %s, attempt %d", len(runs), rec.State, rec.Attempt)
				}
				if took := time.Since(began); took < c.least || took > c.most {
					t.Errorf("it took %v (%.1f days), want %v to %v", took, took.Hours()/24, c.least, c.most)
				}
				for i, number := range numbers {
					if number != i+1 {
						t.Errorf("run %d was attempt %d", i+1, number)
					}
					if i > 0 && runs[i].Sub(runs[i-1]) < backoff.DefaultFloor {
						t.Errorf("attempt %d came %v after the one before", number, runs[i].Sub(runs[i-1]))
					}
				}
				if s.queue.FIFO && s.sqs.dropped == 0 {
					t.Error("SQS dropped no message: the test shows nothing")
				}
				if !s.queue.FIFO && (s.sqs.dropped != 0 || s.sqs.oldest > lifecycle.LongestDelay+time.Hour) {
					t.Errorf("%d messages were dropped, the oldest was %v old: waits belong in the table", s.sqs.dropped, s.sqs.oldest)
				}
			})
		})
	}
}

// A job runs when it is due: not before, and within moments of it, however far that
// is beyond what SQS can hold back or keep. Several workers and messages that come
// twice change nothing: it runs once, and nobody holds it meanwhile.
func TestAJobRunsOnceWhenItIsDue(t *testing.T) {
	for _, in := range []time.Duration{
		-5 * time.Second, 0, time.Millisecond, time.Second, time.Minute, 10 * time.Minute,
		15*time.Minute - 1, 15 * time.Minute, 15*time.Minute + time.Millisecond, 15*time.Minute + time.Second, 17 * time.Minute,
		3 * time.Hour, 6 * time.Hour, 13 * time.Hour, 13 * day, 15 * day, 366 * day,
	} {
		t.Run(in.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var runs []time.Time
				s := newStack(t, 3, 0.5, notes(nil), func(context.Context, *job.Job[note]) error {
					mu.Lock()
					defer mu.Unlock()
					runs = append(runs, time.Now())
					return nil
				})
				s.sqs.copies = 2
				time.Sleep(12345 * time.Millisecond) // no round time
				due := time.Now().Add(in)
				id := s.enqueue(store.NewJob{MaxAttempts: 3, NotBefore: due})
				s.run()
				if len(runs) != 1 || s.get(id).Attempt != 1 {
					t.Fatalf("it ran %d times", len(runs))
				}
				if late := runs[0].Sub(due); late < 0 || late > max(2*time.Second, -in) {
					t.Errorf("it ran %v after it was due", late)
				}
			})
		})
	}
}

// The same with every run that the sweep makes, and a few jobs that are due at times
// of their own.
func TestASweepEveryMinuteMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		due, late := map[job.ID]time.Time{}, map[job.ID]time.Duration{}
		s := newStack(t, 2, 0.5, notes(nil), func(_ context.Context, j *job.Job[note]) error {
			mu.Lock()
			defer mu.Unlock()
			if _, twice := late[j.ID]; twice {
				t.Errorf("%s ran twice", j.ID)
			}
			late[j.ID] = time.Since(due[j.ID])
			return nil
		})
		s.everyMinute = true
		for i := range 12 {
			at := time.Now().Add(15*time.Minute + time.Duration(i)*97*time.Second + time.Duration(i)*13*time.Millisecond)
			due[s.enqueue(store.NewJob{MaxAttempts: 3, NotBefore: at})] = at
		}
		s.run()
		for id, at := range due {
			if after, ran := late[id]; !ran || after < 0 || after > 3*time.Second {
				t.Errorf("due at %v: ran %v, %v late", at, ran, after)
			}
		}
	})
}

// A job that asks again and again whether its time has come keeps its one message,
// and what waits for hours waits in the table: no round is a message that the
// function sent to its own queue.
func TestAPollingJobSendsItselfNothing(t *testing.T) {
	for _, wait := range []time.Duration{time.Minute, 15 * time.Minute, 16 * time.Minute, 6 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var runs []time.Time
			s := newStack(t, 2, 0.5, notes(nil), func(context.Context, *job.Job[note]) error {
				if runs = append(runs, time.Now()); len(runs) < 21 {
					return job.Snooze(wait)
				}
				return nil
			})
			id := s.enqueue(store.NewJob{MaxAttempts: 1})
			s.run()
			if rec := s.get(id); rec.State != lifecycle.Done || len(runs) != 21 || rec.Attempt != 1 {
				t.Errorf("every %v: after %d runs it is %s, attempt %d", wait, len(runs), rec.State, rec.Attempt)
			}
			if slices.ContainsFunc(runs[1:], func(at time.Time) bool { return at.Before(runs[0].Add(wait)) }) {
				t.Errorf("every %v: the runs were at %v", wait, runs)
			}
			want := 1
			if wait > lifecycle.LongestDelay {
				want = 21 // the relay's, one for each time that the row was due
			}
			if s.sqs.made != want {
				t.Errorf("every %v: %d messages, want %d", wait, s.sqs.made, want)
			}
		})
	}
}
