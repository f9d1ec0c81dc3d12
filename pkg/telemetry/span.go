package telemetry

import "context"

// An Operation is what a span is of, in the words of OpenTelemetry's conventions for
// messaging: https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/.
type Operation string

const (
	// Create is a job being written to its table, by whoever enqueues it.
	Create Operation = "create"
	// Send is the relay handing messages of jobs to a queue.
	Send Operation = "send"
	// Process is the run of a job's handler.
	Process Operation = "process"
)

// A Span is what a Tracer is told of an operation that begins.
type Span struct {
	Operation Operation
	// Queue is the name of the job's queue.
	Queue string
	// Job, Task and Attempt are of the job that it is about; empty for several.
	Job, Task string
	Attempt   int
	// Messages is how many there are, where it is about several.
	Messages int
	// Parent is the trace that it belongs to; zero means the context's.
	Parent Trace
	// Links are the traces of what it is about, where those are not its parent's alone.
	Links []Trace
}

// A Tracer makes spans of what the toolkit does. It may be used by many goroutines, and
// neither fails nor waits for anybody. Where a configuration asks for one, nil means
// that there are no spans; traces are carried on all the same. Package opentelemetry
// has one.
type Tracer interface {
	// Start begins a span. The context that it gives has the span, and its trace, which
	// is what TraceFrom gives then. end ends it, once, with how it went: the state that a
	// job went to ("" where there is none) and what went wrong.
	Start(ctx context.Context, s Span) (span context.Context, end func(outcome string, err error))
}

// Start begins a span, or none where there is no tracer, or one that panics (that is
// logged): then the context has the parent's trace.
func Start(ctx context.Context, t Tracer, s Span) (span context.Context, end func(outcome string, err error)) {
	span, end = WithTrace(ctx, s.Parent), func(string, error) {}
	if t == nil {
		return span, end
	}
	defer contain(ctx, "a tracer panicked")
	begun, ended := t.Start(ctx, s)
	return begun, func(outcome string, err error) {
		defer contain(begun, "a tracer panicked")
		ended(outcome, err)
	}
}
