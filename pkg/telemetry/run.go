package telemetry

import "context"

// A Run is the run of a job's handler, as its log lines tell of it. Outside of a handler all
// but the trace is empty.
type Run struct {
	// Job is the job's id; Task and Queue are names.
	Job, Task, Queue string
	// Attempt is its number, counted from one.
	Attempt int
	// Trace is the run's, which jobs and events carry on that are made with the context.
	Trace Trace
}

// RunKey is the key under which a context has its *Run, which nobody writes to. It is for
// contexts that answer it by themselves, as a worker's do; others have WithRun.
type RunKey struct{}

// WithRun gives a context with a run, of which LogHandler tells. Workers do this for the
// contexts of handlers.
func WithRun(ctx context.Context, r Run) context.Context {
	return context.WithValue(ctx, RunKey{}, &r)
}

// RunFrom gives the run of a handler's context; false outside of one.
func RunFrom(ctx context.Context) (Run, bool) {
	r, ok := ctx.Value(RunKey{}).(*Run)
	if !ok || r.Job == "" {
		return Run{}, false
	}
	return *r, true
}

// WithTrace gives a context with a trace in the place of the one that it has; a zero trace
// changes nothing.
func WithTrace(ctx context.Context, t Trace) context.Context {
	if t.IsZero() {
		return ctx
	}
	var r Run
	if around, ok := ctx.Value(RunKey{}).(*Run); ok {
		r = *around
	}
	r.Trace = t
	return WithRun(ctx, r)
}

// TraceFrom gives the trace of a context; in a handler's, that of its run.
func TraceFrom(ctx context.Context) Trace {
	if r, ok := ctx.Value(RunKey{}).(*Run); ok {
		return r.Trace
	}
	return Trace{}
}
