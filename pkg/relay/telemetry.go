package relay

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// measured notes the result of one publication, and gives done as it is: whether its
// record may count as done with. One that was not sent and is done with was set aside.
func (r *Relay) measured(ctx context.Context, p store.Publication, err error, done bool) bool {
	if r.config.Metrics == nil {
		return done
	}
	switch {
	case err == nil:
		telemetry.Record(ctx, r.config.Metrics, telemetry.Published.Times(telemetry.Relay, 1))
		// What is to be seen later only is not late.
		if lag := r.config.Now().Sub(p.At); lag >= 0 {
			telemetry.Record(ctx, r.config.Metrics, telemetry.RelayLag.Took(telemetry.Relay, lag))
		}
	case done:
		telemetry.Record(ctx, r.config.Metrics, telemetry.SetAside.Times(telemetry.Relay, 1))
	}
	return done
}

// span begins the span of messages being sent to a queue. That of a single one is part
// of its job's trace; that of several has links to all of theirs.
func (r *Relay) span(ctx context.Context, queue string, entries []jobEntry) (context.Context, func(error)) {
	s := telemetry.Span{Operation: telemetry.Send, Queue: queue, Messages: len(entries)}
	for _, e := range entries {
		if trace, ok := telemetry.ParseTrace(e.row.Trace); ok {
			s.Links = append(s.Links, trace)
		}
	}
	if len(entries) == 1 && len(s.Links) == 1 {
		s.Parent, s.Job, s.Task = s.Links[0], string(entries[0].row.ID), entries[0].row.Task
	}
	ctx, end := telemetry.Start(ctx, r.config.Tracer, s)
	return ctx, func(err error) { end("", err) }
}
