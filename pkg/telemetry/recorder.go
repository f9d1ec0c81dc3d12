package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
)

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

// Record records a measurement, unless there is no recorder. A recorder that panics
// fails nobody: that is logged (slog.Default).
func Record(ctx context.Context, r Recorder, m Measurement) {
	if r != nil {
		defer contain(ctx, "a recorder panicked")
		r.Record(ctx, m)
	}
}

// Flush flushes a recorder, unless there is none, as Record records.
func Flush(ctx context.Context, r Recorder) {
	if r != nil {
		defer contain(ctx, "a recorder panicked")
		r.Flush(ctx)
	}
}

// contain is deferred around what programs bring along: a job does not fail because it
// is looked at.
func contain(ctx context.Context, what string) {
	if p := recover(); p != nil {
		slog.ErrorContext(ctx, what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}
