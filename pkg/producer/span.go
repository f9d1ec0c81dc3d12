package producer

import (
	"context"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// span begins the span of a job's creation, where there is a tracer, and gives the options
// with its trace. It is part of the trace that the job was given, or else of the context's.
func (p *Producer) span(ctx context.Context, d job.Definition, options []job.Option) (context.Context, []job.Option, func(string, error)) {
	if p.tracer == nil {
		return ctx, options, func(string, error) {}
	}
	given, _ := telemetry.ParseTrace(job.Apply(options...).Trace)
	ctx, end := p.tracer.Start(ctx, telemetry.Span{Operation: telemetry.Create, Queue: d.Policy.Queue.Name, Task: d.Name, Parent: given})
	return ctx, append(slices.Clip(options), job.WithTrace(telemetry.TraceFrom(ctx).String())), end
}
