package producer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

const (
	cameW3C  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	cameXRay = "Root=1-5759e988-bd862e3fe1be46a994272793"
)

// oneSpan gives each span the same ids, and notes what it is told.
type oneSpan struct {
	told    []telemetry.Span
	outcome []string
}

func (o *oneSpan) Start(ctx context.Context, s telemetry.Span) (context.Context, func(string, error)) {
	o.told = append(o.told, s)
	base := s.Parent
	if base.IsZero() {
		base = telemetry.TraceFrom(ctx)
	}
	traceID, _, _, _ := base.SpanContext()
	return telemetry.WithTrace(ctx, base.Of(traceID, [8]byte{7: 7}, 1, "")), func(outcome string, err error) { o.outcome = append(o.outcome, outcome) }
}

// The trace of the context goes with a job, unless it is given another; with a tracer, that of
// the span of its creation.
func TestTheTraceGoesAlong(t *testing.T) {
	p, jobs, _ := newProducer(t)
	tracer := &oneSpan{}
	traced, err := producer.New(producer.Config{Jobs: jobs, Tracer: tracer}, write)
	if err != nil {
		t.Fatal(err)
	}
	came, _ := telemetry.ParseTrace(cameW3C + " " + cameXRay)
	with := telemetry.WithTrace(t.Context(), came)
	span := strings.Replace(cameW3C, "00f067aa0ba902b7", "0000000000000007", 1)
	for name, test := range map[string]struct {
		producer *producer.Producer
		ctx      context.Context
		options  []job.Option
		want     string
	}{
		"none":                        {p, t.Context(), nil, ""},
		"the context's":               {p, with, nil, came.String()},
		"another":                     {p, with, []job.Option{job.WithTrace(cameXRay)}, cameXRay},
		"one that is none is dropped": {p, with, []job.Option{job.WithTrace("no trace")}, ""},
		"a span":                      {traced, with, nil, span + " " + cameXRay},
		"a span of another":           {traced, t.Context(), []job.Option{job.WithTrace(cameW3C)}, span},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := test.producer.Enqueue(test.ctx, write.With(note{Text: "x"}), test.options...)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := jobs.Get(t.Context(), id)
			if err != nil || rec.Trace != test.want {
				t.Errorf("%q, %v; want %q", rec.Trace, err, test.want)
			}
		})
	}
	if s := tracer.told[0]; s.Operation != telemetry.Create || s.Queue != "notes" || s.Task != "note.write" || tracer.outcome[0] != "queued" {
		t.Errorf("told %+v, %q", s, tracer.outcome)
	}
}
