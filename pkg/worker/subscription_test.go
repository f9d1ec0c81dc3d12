package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

var noteWritten = job.DefineEvent[note]("note.written", job.Topic{Name: "notes", FIFO: true})

// happened is a topic's message for an event.
func happened(id, key, data string) (sent, queue.Event) {
	event := queue.Event{ID: id, Name: "note.written", Key: key, Version: 1, At: time.Unix(1, 0).UTC(), Data: []byte(data)}
	body, err := queue.Message{Trace: "Root=1", Event: &event}.Encode()
	if err != nil {
		panic(err)
	}
	return sent{id: "m-" + id, body: body, group: key}, event
}

func TestAnEventIsOneJobOfItsSubscriber(t *testing.T) {
	q := notes(nil)
	runs := 0
	w := newWorld(t, q, worker.On(job.On(noteWritten, task(q)), func(ctx context.Context, j *job.Job[note]) error {
		runs++
		if j.Args.Text != "mi\uffffk" || j.Trace != "Root=1" || j.Task != "note.write" || j.Attempt != runs {
			t.Errorf("run %d was given %+v", runs, j)
		}
		if runs == 1 {
			return errors.New("busy")
		}
		return worker.Commit(ctx, j, tally("a"))
	}))
	m, event := happened("e1", "", "{\"text\":\"mi\uffffk\"}")
	id := event.Job("note.write")
	if failed := w.deliver(m); len(failed) != 1 {
		t.Fatalf("the first attempt failed and its message did not: %v", failed)
	}
	if rec := w.get(id); rec.State != lifecycle.Queued || rec.Attempt != 1 || rec.Error == nil {
		t.Fatalf("after the first attempt %+v", rec)
	}
	w.due(id)
	for range 2 { // it comes twice
		if failed := w.deliver(m); len(failed) != 0 {
			t.Errorf("failed %v", failed)
		}
	}
	if rec := w.get(id); rec.State != lifecycle.Done || runs != 2 || w.tallied("a") != "1" {
		t.Errorf("%d runs, %s, the effect happened %s times", runs, rec.State, w.tallied("a"))
	}
}

func TestEventsOfOneKeyAreInOrder(t *testing.T) {
	q := notes(func(q *job.Queue) { q.FIFO = true })
	var mu sync.Mutex
	var ran []string
	w := newWorld(t, q, worker.On(job.On(noteWritten, task(q)), func(_ context.Context, j *job.Job[note]) error {
		mu.Lock()
		ran = append(ran, j.Args.Text)
		mu.Unlock()
		if j.Args.Text == "a1" && j.Attempt == 1 {
			return errors.New("busy")
		}
		return nil
	}))
	var batch []sent
	for i, key := range []string{"a", "a", "b"} {
		m, _ := happened(fmt.Sprint("e", i), key, fmt.Sprintf(`{"text":"%s%d"}`, key, i+1))
		batch = append(batch, m)
	}
	if failed := w.deliver(batch...); strings.Join(failed, " ") != "m-e0 m-e1" {
		t.Errorf("failed %v: a failure stops its key alone", failed)
	}
	_, first := happened("e0", "a", `{}`)
	w.due(first.Job("note.write").InGroup("notes", "a"))
	if failed := w.deliver(batch[:2]...); len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	if got := strings.Join(w.ordered(ran, "a"), " "); got != "a1 a1 a2" {
		t.Errorf("ran %v", ran)
	}
}

func (w *world) ordered(ran []string, key string) (of []string) {
	for _, text := range ran {
		if strings.HasPrefix(text, key) {
			of = append(of, text)
		}
	}
	return of
}

func TestAnEventThatNobodySubscribedToWaits(t *testing.T) {
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
	m, _ := happened("e1", "", `{"text":"x"}`)
	if failed := w.deliver(m); len(failed) != 1 || w.hiddenFor(m) < 50*time.Second {
		t.Errorf("failed %v, hidden for %v", failed, w.hiddenFor(m))
	}
}

func TestSubscriptionsThatMakeNoSense(t *testing.T) {
	plain, ordered := notes(nil), notes(func(q *job.Queue) { q.Name, q.FIFO = "ordered", true })
	standard := job.DefineEvent[note]("note.written", job.Topic{Name: "notes"})
	f := func(context.Context, *job.Job[note]) error { return nil }
	other := job.Define[note]("note.copy", job.Policy{Queue: plain})
	for name, c := range map[string]struct {
		handlers []worker.Handler
		want     string
	}{
		"two tasks of a queue":     {[]worker.Handler{worker.On(job.On(standard, task(plain)), f), worker.On(job.On(standard, other), f)}, "give each a queue of its own"},
		"FIFO queue, plain topic":  {[]worker.Handler{worker.On(job.On(standard, task(ordered)), f)}, "is not FIFO"},
		"another version":          {[]worker.Handler{worker.On(job.On(standard.Versioned(2), task(plain)), f)}, "has version 2 of its data"},
		"names that are none":      {[]worker.Handler{worker.On(job.On(job.DefineEvent[note]("Note", job.Topic{Name: "No"}), task(plain)), f)}, "topic \"No\""},
		"an event of another type": {[]worker.Handler{worker.On(job.On(job.DefineEvent[note]("note.written", job.Topic{Name: "notes"}).Versioned(0), task(plain)), f)}, "versions of the data count from 1"},
	} {
		_, err := worker.New(worker.Config{}, c.handlers...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
