package telemetry

import "context"

// A Run is the run of a job's handler, as its log lines tell of it.
type Run struct {
	// Job is the job's id; Task and Queue are names.
	Job, Task, Queue string
	// Attempt is its number, counted from one.
	Attempt int
	// Trace is the run's; TraceFrom gives it as well.
	Trace Trace
}

type runKey struct{}

// WithRun gives a context with a run, of which LogHandler tells. Workers do this for the
// contexts of handlers.
func WithRun(ctx context.Context, r Run) context.Context {
	return WithTrace(context.WithValue(ctx, runKey{}, r), r.Trace)
}

// RunFrom gives the run of a handler's context; false outside of one.
func RunFrom(ctx context.Context) (Run, bool) {
	r, ok := ctx.Value(runKey{}).(Run)
	return r, ok
}
