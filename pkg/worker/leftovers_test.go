package worker_test

import (
	"context"
	"encoding/json"
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

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// lines keeps what is logged; it may be asked by many goroutines.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, string(p))
	return len(p), nil
}

func (l *lines) with(part string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.text {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// logging is the world's worker again, whose lines can be read.
func (w *world) logging(level slog.Level, handlers ...worker.Handler) *lines {
	w.t.Helper()
	l := &lines{}
	var err error
	w.worker, err = worker.New(worker.Config{
		Jobs: w.jobs, Queue: w.sqs, Random: func() float64 { return 0.5 },
		Addresses: map[string]queue.Address{w.queue.Name: {URL: "https://sqs/notes", Letters: "letters"}},
		Logger:    slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: level})),
	}, handlers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// A panic costs its own record an attempt: the others end as they would, its
// stack is logged once, and its lease does not stand in the way of the next try.
func TestAPanicIsOneRecordsFailure(t *testing.T) {
	var nothing map[string]int
	for name, broken := range map[string]func(){
		"a nil map":       func() { nothing["x"] = 1 },
		"an error":        func() { panic(errors.New("custom")) },
		"a value":         func() { panic(struct{ Code int }{7}) },
		"a nil pointer":   func() { var j *job.Job[note]; _ = j.Args },
		"an index":        func() { _ = strings.Split("a", "")[len(nothing)+1] },
		"a runtime error": func() { panic(&runtime.PanicNilError{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := notes(nil)
				handler := worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error {
					if j.Args.Text == "bad" && j.Attempt == 1 {
						broken()
					}
					return nil
				})
				w := newWorld(t, q, handler)
				log := w.logging(slog.LevelInfo, handler)
				first, bad, last := w.enqueue("1", nil), w.enqueue("bad", nil), w.enqueue("2", nil)
				if failed := w.deliver(message(first), message(bad), message(last)); !slices.Equal(failed, []string{message(bad).id}) {
					t.Errorf("failed: %v", failed)
				}
				for _, id := range []job.ID{first, last} {
					if rec := w.get(id); rec.State != lifecycle.Done {
						t.Errorf("a batch-mate is %s", rec.State)
					}
				}
				stacks := log.with(`"stack"`)
				if len(stacks) != 1 || !strings.Contains(stacks[0], "leftovers_test.go") || !strings.Contains(stacks[0], string(bad)) {
					t.Errorf("%d lines have a stack: %.200q", len(stacks), stacks)
				}
				time.Sleep(w.hiddenFor(message(bad)))
				if failed := w.deliver(message(bad)); len(failed) != 0 || w.get(bad).State != lifecycle.Done {
					t.Errorf("failed %v, the row is %s", failed, w.get(bad).State)
				}
			})
		})
	}
}

// Lambda freezes a process after its answer and may never thaw it: by then every
// row is written, every wait set, and every line logged.
func TestNothingIsLeftToDoAfterTheAnswer(t *testing.T) {
	q := notes(nil)
	verdicts := map[string]error{
		"done": nil, "failed": errors.New("boom"), "dead": job.Fail(errors.New("boom")), "later": job.Snooze(time.Hour),
		"soon": job.Snooze(time.Second), "again": job.Continue(1), "unwanted": job.Discard("no"),
	}
	handler := worker.Handle(task(q), func(_ context.Context, j *job.Job[note]) error { return verdicts[j.Args.Text] })
	w := newWorld(t, q, handler)
	log := w.logging(slog.LevelDebug, handler)
	ids := map[string]job.ID{}
	var batch []sent
	for text := range verdicts {
		ids[text] = w.enqueue(text, nil)
		batch = append(batch, message(ids[text]))
	}
	w.deliver(batch...)
	for text, id := range ids {
		rec := w.get(id)
		if rec.State == lifecycle.Running {
			t.Errorf("%s: the row is not written", text)
		}
		runs := slices.DeleteFunc(log.with(string(id)), func(line string) bool { return !strings.Contains(line, `"msg":"job"`) })
		if len(runs) != 1 || !strings.Contains(runs[0], fmt.Sprintf("%q:%q", "outcome", rec.State)) {
			t.Errorf("%s: the row is %s, and the lines of its run are %q", text, rec.State, runs)
		}
		var line map[string]any
		if err := json.Unmarshal([]byte(runs[0]), &line); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// However a run ends, no goroutine outlives its invocation: a warm process does
// not grow.
func TestNoGoroutineOutlivesAnInvocation(t *testing.T) {
	synctest.Test(t, noGoroutineOutlivesAnInvocation)
}

func noGoroutineOutlivesAnInvocation(t *testing.T) {
	q := notes(nil)
	var nothing map[string]int
	handler := worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		switch j.Args.Text {
		case "1":
			return errors.New("boom")
		case "2":
			nothing["x"] = 1
		case "3":
			runtime.Goexit()
		case "4":
			return job.Continue(7)
		}
		return ctx.Err()
	})
	w := newWorld(t, q, handler)
	once := func() {
		batch := []sent{{id: "rubbish", body: "?"}}
		for i := range 5 {
			batch = append(batch, message(w.enqueue(fmt.Sprint(i), nil)))
		}
		w.deliver(batch...)
	}
	once()
	synctest.Wait() // for those that are about to end
	before := runtime.NumGoroutine()
	for range 200 {
		once()
	}
	synctest.Wait()
	if after := runtime.NumGoroutine(); after > before+10 {
		t.Errorf("%d goroutines after 200 invocations, %d before", after, before)
	}
}

// A function that feeds its own queue is cut off by AWS after 16 rounds. A job that
// waits, goes on or fails keeps its one message instead, however many rounds it
// makes; only what must be written is written.
//
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
func TestAJobOfManyRoundsSendsItselfNothing(t *testing.T) {
	for name, again := range map[string]func(round int) error{
		"continued":   func(round int) error { return job.Continue(round) },
		"snoozed":     func(int) error { return job.Snooze(10 * time.Minute) },
		"snoozed 0 s": func(int) error { return job.Snooze(0) },
		"failed":      func(int) error { return job.RetryAfter(time.Minute, errors.New("not yet")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const rounds = 40
				round := 0
				q := notes(nil)
				patient := job.Define[note]("note.write", job.Policy{Queue: q, Timeout: 20 * time.Second, Backoff: backoff.Policy{Cap: time.Minute}})
				w := newWorld(t, q, worker.Handle(patient, func(context.Context, *job.Job[note]) error {
					if round++; round < rounds {
						return again(round)
					}
					return nil
				}))
				m := message(w.enqueue("x", func(n *store.NewJob) { n.MaxAttempts = rounds }))
				for range rounds {
					w.deliver(m)
					time.Sleep(max(w.hiddenFor(m), 0))
				}
				if w.sqs.sendings != 0 {
					t.Errorf("%d messages were sent in %d rounds", w.sqs.sendings, round)
				}
				if rec := w.get(job.ID(strings.TrimPrefix(m.id, "m-"))); round != rounds || rec.State != lifecycle.Done {
					t.Errorf("%d rounds, want %d; the row is %s", round, rounds, rec.State)
				}
			})
		})
	}
}
