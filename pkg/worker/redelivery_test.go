package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// redeliver delivers a batch, and what the answers ask for, as SQS does: each
// message when its wait is over.
func (w *world) redeliver(batch ...sent) (deliveries int) {
	w.t.Helper()
	for len(batch) > 0 {
		if deliveries++; deliveries > 20 {
			w.t.Fatalf("%d deliveries, and %d messages are left", deliveries, len(batch))
		}
		failed := w.deliver(batch...)
		batch = slices.DeleteFunc(slices.Clone(batch), func(m sent) bool { return !slices.Contains(failed, m.id) })
		var wait time.Duration
		for _, m := range batch {
			wait = max(wait, w.hiddenFor(m))
		}
		time.Sleep(wait)
	}
	return deliveries
}

// A record that fails comes again alone, wherever it stands in its batch and
// however it fails: what its batch-mates did is not done twice.
func TestOnlyTheBadRecordRunsAgain(t *testing.T) {
	var nothing map[string]int
	kinds := map[string]func(context.Context) error{
		"an error":            func(context.Context) error { return errors.New("boom") },
		"a wait":              func(context.Context) error { return job.RetryAfter(time.Minute, errors.New("429")) },
		"a nil map":           func(context.Context) error { nothing["x"] = 1; return nil },
		"a panic of an error": func(context.Context) error { panic(fmt.Errorf("wrapped: %w", errors.New("boom"))) },
		"a panic of nothing":  func(context.Context) error { panic(any(nil)) },
		"its goroutine's end": func(context.Context) error { runtime.Goexit(); return nil },
		"its time":            func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}
	for name, fail := range kinds {
		for at := range 3 {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var mu sync.Mutex
					runs := map[string]int{}
					q := notes(nil)
					w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
						mu.Lock()
						runs[j.Args.Text]++
						first := runs[j.Args.Text] == 1
						mu.Unlock()
						if j.Args.Text == "bad" && first {
							return fail(ctx)
						}
						return nil
					}))
					texts := []string{"one", "two"}
					texts = slices.Insert(texts, at, "bad")
					var batch []sent
					for _, text := range texts {
						batch = append(batch, message(w.enqueue(text, nil)))
					}
					if n := w.redeliver(batch...); n != 2 {
						t.Errorf("%d deliveries, want 2", n)
					}
					if runs["one"] != 1 || runs["two"] != 1 || runs["bad"] != 2 {
						t.Errorf("runs: %v", runs)
					}
				})
			})
		}
	}
}

// A record that no handler ever lets pass is dead after its attempts, and was
// not dropped on the way.
func TestABadRecordEndsAsALetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
			if j.Args.Text == "bad" {
				runs++
				return errors.New("boom")
			}
			return nil
		}))
		good, bad := w.enqueue("good", nil), w.enqueue("bad", nil)
		w.redeliver(message(good), message(bad))
		if rec := w.get(bad); rec.State != lifecycle.Dead || runs != 3 || rec.Publication == nil || rec.Publication.To != store.ToLetters("notes") {
			t.Errorf("after %d runs the row is %s and asks for %+v", runs, rec.State, rec.Publication)
		}
		if rec := w.get(good); rec.State != lifecycle.Done || rec.Publication != nil {
			t.Errorf("its batch-mate is %s and asks for %+v", rec.State, rec.Publication)
		}
	})
}

// Answers don't depend on what the process did before.
func TestAWarmWorkerAnswersAsAColdOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		fresh, err := worker.New(worker.Config{
			Jobs: w.jobs, Queue: w.sqs, Random: func() float64 { return 0.5 }, Logger: slog.New(slog.DiscardHandler),
			Addresses: map[string]queue.Address{q.Name: {URL: "https://sqs/notes", Letters: "letters"}},
		}, worker.Handle(task(q), diarist(&d)))
		if err != nil {
			t.Fatal(err)
		}
		earlier := []sent{message(w.enqueue("good", nil)), message(w.enqueue("bad", nil)), {id: "rubbish", body: "?"}}
		w.deliver(earlier...)
		for name, texts := range map[string][]string{"all bad": {"bad", "bad"}, "all good": {"good"}, "mixed": {"bad", "good", "bad"}} {
			ask := func(on *worker.Worker) []byte {
				var batch []sent
				for i, text := range texts {
					m := message(w.enqueue(text, nil))
					m.id = fmt.Sprint("m", i)
					batch = append(batch, m)
				}
				answer, err := on.Invoke(t.Context(), w.event(batch...))
				if err != nil {
					t.Error(err)
				}
				return answer
			}
			warm, cold := ask(w.worker), ask(fresh)
			if !bytes.Equal(warm, cold) {
				t.Errorf("%s: %s from the warm worker, %s from the cold", name, warm, cold)
			}
			for _, m := range earlier {
				if bytes.Contains(warm, []byte(m.id)) {
					t.Errorf("%s: the answer names %s of an earlier batch", name, m.id)
				}
			}
		}
	})
}

// In a group a later job runs only when the one before has succeeded, over as many
// deliveries as that takes and whatever the batches are.
func TestAFailedJobRunsAgainBeforeTheNextOfItsGroup(t *testing.T) {
	for batchSize := 1; batchSize <= 4; batchSize++ {
		synctest.Test(t, func(t *testing.T) {
			var order []string
			tried := map[string]int{}
			q := notes(func(q *job.Queue) { q.FIFO = true })
			w := newWorld(t, q, worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
				if tried[j.Args.Text]++; tried[j.Args.Text] < 3 && (j.Args.Text == "1" || j.Args.Text == "3") {
					return errors.New("boom")
				}
				order = append(order, j.Args.Text)
				return nil
			}))
			var waiting []sent
			for _, text := range []string{"1", "2", "3", "4"} {
				waiting = append(waiting, message(w.enqueue(text, func(n *store.NewJob) { n.ID = n.ID.InGroup("notes", "g") })))
			}
			for len(waiting) > 0 {
				batch := waiting[:min(batchSize, len(waiting))]
				failed := w.deliver(batch...)
				waiting = slices.DeleteFunc(waiting, func(m sent) bool { return slices.Contains(batch, m) && !slices.Contains(failed, m.id) })
				time.Sleep(max(w.hiddenFor(batch[0]), time.Second))
			}
			if got := strings.Join(order, " "); got != "1 2 3 4" {
				t.Errorf("batches of %d: the effects came as %s", batchSize, got)
			}
		})
	}
}

// One worker may serve many invocations at once, as a process does that polls:
// each answers for its own records.
func TestInvocationsAtOnceShareNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		q := notes(nil)
		w := newWorld(t, q, worker.Handle(task(q), diarist(&d)))
		var invocations sync.WaitGroup
		for i := range 20 {
			var batch []sent
			var want []string
			for k := range 5 {
				text := "good"
				if (i+k)%3 == 0 {
					text = "bad"
				}
				m := message(w.enqueue(text, nil))
				if batch = append(batch, m); text == "bad" {
					want = append(want, m.id)
				}
			}
			event := w.event(batch...)
			invocations.Go(func() {
				answer, err := w.worker.Invoke(t.Context(), event)
				if err != nil {
					t.Error(err)
					return
				}
				if got := failures(t, answer); !slices.Equal(got, want) {
					t.Errorf("invocation %d failed %v, want %v", i, got, want)
				}
			})
		}
		invocations.Wait()
		if len(d.entries) != 100 {
			t.Errorf("%d runs, want 100", len(d.entries))
		}
	})
}
