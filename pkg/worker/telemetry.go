package worker

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// trace gives the context of a run, which has its job's trace, or with a tracer that of its
// span; and what log lines tell of the run.
func (b *batch) trace(ctx context.Context, r *run) context.Context {
	rec := r.rec
	trace, ok := telemetry.ParseTrace(rec.Trace)
	if !ok {
		trace = telemetry.NewTrace(string(rec.ID))
	}
	r.told = telemetry.Run{Job: string(rec.ID), Task: rec.Task, Queue: b.queue.Queue.Name, Attempt: rec.Attempt, Trace: trace}
	if b.config.Tracer != nil {
		ctx, r.spanEnd = telemetry.Start(ctx, b.config.Tracer, telemetry.Span{
			Operation: telemetry.Process, Queue: r.told.Queue, Job: r.told.Job, Task: rec.Task, Attempt: rec.Attempt,
			Parent: trace, Links: []telemetry.Trace{trace},
		})
		r.told.Trace = telemetry.TraceFrom(ctx)
		rec.Trace = r.told.Trace.String()
	}
	return runContext{ctx, r}
}

// endSpan ends the run's span, if there is one.
func (r *run) endSpan(outcome string, err error) {
	if r.spanEnd != nil {
		r.spanEnd(outcome, err)
	}
}

func (b *batch) measure(ctx context.Context, m telemetry.Measurement) {
	telemetry.Record(ctx, b.config.Metrics, m)
}

// ended counts how a run ended, once that is written: where the row says that the job is
// to run again, the outcome says why.
func (b *batch) ended(ctx context.Context, now *store.Record, outcome lifecycle.Outcome) {
	name := b.queue.Queue.Name
	counter := telemetry.Retried
	switch {
	case now.State == lifecycle.Done:
		counter = telemetry.Done
	case now.State == lifecycle.Dead:
		counter = telemetry.Dead
	case now.State == lifecycle.Cancelled:
		counter = telemetry.Cancelled
	case outcome.GiveBack:
		counter = telemetry.Snoozed
	}
	b.measure(ctx, counter.Times(name, 1))
	if now.State.Final() {
		b.measure(ctx, telemetry.Attempts.Value(name, float64(now.Attempt)))
	}
}
