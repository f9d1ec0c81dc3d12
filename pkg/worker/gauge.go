package worker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A Gauge is told what a worker sees of its queue; *gauge.Notes is one. Its methods are
// called by many goroutines and return at once.
type Gauge interface {
	// Began: a job began that had waited so long for a worker; zero where nobody knows.
	Began(q job.Queue, waited time.Duration)
	// Ended: a job was run, and took so long.
	Ended(q job.Queue, took time.Duration)
}

// noGauge is told and says nothing.
type noGauge struct{}

func (noGauge) Began(job.Queue, time.Duration) {}
func (noGauge) Ended(job.Queue, time.Duration) {}

// waited tells how long a claimed job had waited for a worker, since it might have begun;
// ok is false where nobody knows: for a message that was received before, which was
// hidden for a while.
func (r *record) waited(rec *store.Record, now time.Time) (wait time.Duration, ok bool) {
	if r.Receives != "1" {
		return 0, false
	}
	ready := r.ready
	if ready.IsZero() {
		if ready, ok = r.attributeReady(); !ok && rec.N == 1 {
			ready = rec.Created // its message says so by saying nothing
		}
	}
	return max(now.Sub(ready), 0), !ready.IsZero()
}

// attributeReady reads from when on the message might be worked on (queue.Ready).
func (r *record) attributeReady() (at time.Time, ok bool) {
	if r.Attributes == "" {
		return time.Time{}, false
	}
	var attributes map[string]eventAttribute
	if json.Unmarshal([]byte(r.Attributes), &attributes) != nil {
		return time.Time{}, false
	}
	return queue.ReadyAt(attributes[queue.ReadyAttribute].Text)
}

// began tells that a job begins, and how long it had waited.
func (b *batch) began(ctx context.Context, r *record, rec *store.Record, now time.Time) {
	wait, known := r.waited(rec, now)
	b.config.Gauge.Began(b.queue.Queue, wait)
	if known {
		b.measure(ctx, telemetry.QueueWait.Took(b.queue.Queue.Name, wait))
	}
}

// ran tells that a handler has returned.
func (b *batch) ran(ctx context.Context, took time.Duration) {
	b.config.Gauge.Ended(b.queue.Queue, took)
	b.measure(ctx, telemetry.ServiceTime.Took(b.queue.Queue.Name, took))
}
