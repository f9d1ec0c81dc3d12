package telemetry

import "context"

// A Recorder takes measurements. It may be used by many goroutines. It neither fails
// nor waits for anybody: what it can't keep it drops. Where a configuration asks
// for one, nil means that nothing is measured.
type Recorder interface {
	// Record takes a measurement. The context is that of what was measured, for
	// recorders that look for its span.
	Record(ctx context.Context, m Measurement)
	// Flush is called at the end of an invocation, or of a batch: what was recorded
	// is to be handed on now, since the process may be frozen next.
	Flush(ctx context.Context)
}

// Record records a measurement, unless there is no recorder.
func Record(ctx context.Context, r Recorder, m Measurement) {
	if r != nil {
		r.Record(ctx, m)
	}
}

// Flush flushes a recorder, unless there is none.
func Flush(ctx context.Context, r Recorder) {
	if r != nil {
		r.Flush(ctx)
	}
}
