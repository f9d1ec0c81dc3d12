package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

type panicking struct{ ends bool }

func (panicking) Record(context.Context, telemetry.Measurement) { panic("recording") }
func (panicking) Flush(context.Context)                         { panic("flushing") }
func (p panicking) Start(ctx context.Context, _ telemetry.Span) (context.Context, func(string, error)) {
	if !p.ends {
		panic("starting")
	}
	return ctx, func(string, error) { panic("ending") }
}

// Recorders and tracers of others fail nobody, and what they do is not lost.
func TestPanicsAreContained(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)

	telemetry.Record(ctx, panicking{}, telemetry.Done.Times("photos", 1))
	telemetry.Flush(ctx, panicking{})
	parent, _ := telemetry.ParseTrace(w3c)
	for _, ends := range []bool{false, true} {
		span, end := telemetry.Start(ctx, panicking{ends}, telemetry.Span{Parent: parent})
		if !ends && telemetry.TraceFrom(span) != parent {
			t.Error("the parent's trace is lost")
		}
		end("done", nil)
	}
	for _, said := range []string{"recording", "flushing", "starting", "ending"} {
		if !strings.Contains(out.String(), "panic="+said) {
			t.Errorf("%s was not logged: %s", said, out.String())
		}
	}
}
