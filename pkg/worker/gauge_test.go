package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// gaugeFake remembers what it was told.
type gaugeFake struct {
	mu            sync.Mutex
	waited, taken []time.Duration
	queues        map[string]int
}

func (g *gaugeFake) Began(q job.Queue, waited time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queues == nil {
		g.queues = map[string]int{}
	}
	g.queues[q.Name]++
	g.waited = append(g.waited, waited)
}

func (g *gaugeFake) Ended(_ job.Queue, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.taken = append(g.taken, took)
}

// invoke delivers an event that was changed.
func (w *world) invoke(m sent, change func(event string) string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	if _, err := w.worker.Invoke(ctx, []byte(change(string(w.event(m))))); err != nil {
		w.t.Fatal(err)
	}
}

// ready makes a message one of a job that may begin, or could have begun, then.
func ready(after time.Duration) func(string) string {
	return func(event string) string {
		at := time.Now().Add(after)
		return strings.Replace(event, `"messageAttributes":{}`, fmt.Sprintf(
			`"messageAttributes":{"ready_ms":{"stringValue":"%d","stringListValues":[],"binaryListValues":[],"dataType":"Number"}}`, at.UnixMilli()), 1)
	}
}

// How long a job waited is told of its first delivery: since it was made, or since it
// might have begun.
func TestTheGaugeIsToldHowLongJobsWaited(t *testing.T) {
	const old = time.Minute
	same := func(event string) string { return event }
	for name, c := range map[string]struct {
		change func(string) string
		want   time.Duration
	}{
		"at once":           {change: same},
		"ready a while ago": {change: ready(-old), want: old},
		"ready in a moment": {change: ready(time.Second)},
		"no time": {change: func(e string) string {
			return strings.Replace(ready(0)(e), `"stringValue":"`, `"stringValue":"x`, 1)
		}},
		"received before": {change: func(e string) string {
			return strings.Replace(ready(-old)(e), `ReceiveCount":"1"`, `ReceiveCount":"2"`, 1)
		}},
		"attributes of strangers": {change: func(e string) string {
			return strings.Replace(e, `"messageAttributes":{}`, `"messageAttributes":{"x":[1]}`, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, notes(nil), worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error { return errors.New("no") }))
				w.invoke(message(w.enqueue("a", nil)), c.change)
				if len(w.gauge.waited) != 1 || len(w.gauge.taken) != 1 || w.gauge.queues["notes"] != 1 {
					t.Fatalf("told %v and %v of %v", w.gauge.waited, w.gauge.taken, w.gauge.queues)
				}
				if got := w.gauge.waited[0]; got != c.want {
					t.Errorf("a wait of %v, want %v", got, c.want)
				}
			})
		})
	}
}

// A message without a job, such as that of a gate's probe, is nobody's work.
func TestTheGaugeIsToldNothingOfProbes(t *testing.T) {
	w := newWorld(t, notes(nil), worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error { return nil }))
	probe := store.Probe{Queue: "notes", N: 7, At: time.Now()}
	if failed := w.deliver(message(probe.ID())); len(failed) != 0 || len(w.gauge.waited) != 0 || len(w.sqs.sent) != 0 {
		t.Errorf("it failed %v, told %v, sent %v", failed, w.gauge.waited, w.sqs.sent)
	}
}
