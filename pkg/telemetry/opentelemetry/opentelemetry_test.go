package opentelemetry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/opentelemetry"
)

var ctx = context.Background()

// collected tells what was recorded, one line for each series.
func collected(t *testing.T, record func(telemetry.Recorder)) []string {
	t.Helper()
	reader := metric.NewManualReader()
	record(opentelemetry.NewRecorder(opentelemetry.RecorderConfig{Meters: metric.NewMeterProvider(metric.WithReader(reader))}))
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	told := func(m metricdata.Metrics, attributes attribute.Set, value any) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s[%s] %v %s", m.Name, m.Unit, value, attributes.Encoded(attribute.DefaultEncoder()))))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					told(m, p.Attributes, p.Value)
				}
			case metricdata.Gauge[float64]:
				for _, p := range d.DataPoints {
					told(m, p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					told(m, p.Attributes, fmt.Sprint(p.Count, "x", p.Sum))
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestRecorder(t *testing.T) {
	got := collected(t, func(r telemetry.Recorder) {
		r.Record(ctx, telemetry.ServiceTime.Took("photos", 1500*time.Millisecond))
		r.Record(ctx, telemetry.ServiceTime.Took("photos", 500*time.Millisecond))
		r.Record(ctx, telemetry.QueueWait.Took("photos", time.Minute))
		r.Record(ctx, telemetry.Done.Times("photos", 2))
		r.Record(ctx, telemetry.Done.Times("photos", 1))
		r.Record(ctx, telemetry.Done.Times("search", 1))
		r.Record(ctx, telemetry.Depth.Value("photos", 12))
		r.Record(ctx, telemetry.Depth.Value("photos", 7))
		r.Record(ctx, telemetry.Age.Took("photos", time.Minute))
		r.Record(ctx, telemetry.Published.Times(telemetry.Relay, 10))
		r.Record(ctx, telemetry.Metric{Name: "PixelsDrawn", Unit: telemetry.Count, By: "Format"}.Value("webp", 100))
		r.Flush(ctx)
	})
	want := []string{
		"messaging.client.sent.messages[{message}] 10 messaging.operation.name=send,messaging.system=aws_sqs,nightshift.function=relay",
		"messaging.process.duration[s] 2x2 messaging.destination.name=photos,messaging.operation.name=process,messaging.system=aws_sqs",
		"nightshift.job.done[{job}] 1 messaging.destination.name=search",
		"nightshift.job.done[{job}] 3 messaging.destination.name=photos",
		"nightshift.job.wait[s] 1x60 messaging.destination.name=photos",
		"nightshift.queue.age[s] 60 messaging.destination.name=photos",
		"nightshift.queue.depth[{job}] 7 messaging.destination.name=photos",
		"pixels_drawn[] 1x100 format=webp",
	}
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every metric of the toolkit has a name of its own, and nobody is told of a mistake.
func TestAllMetrics(t *testing.T) {
	got := collected(t, func(r telemetry.Recorder) {
		for _, m := range telemetry.All() {
			r.Record(ctx, m.Value("x", 1))
		}
	})
	if len(got) != len(telemetry.All()) {
		t.Errorf("%d of %d: %q", len(got), len(telemetry.All()), got)
	}
	for _, line := range got {
		if !strings.HasPrefix(line, "nightshift.") && !strings.HasPrefix(line, "messaging.") {
			t.Errorf("no name of its own: %s", line)
		}
	}
}

func TestFlush(t *testing.T) {
	var handled []error
	previous := otel.GetErrorHandler()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { handled = append(handled, err) }))
	defer otel.SetErrorHandler(previous)
	broken := errors.New("the collector is away")
	r := opentelemetry.NewRecorder(opentelemetry.RecorderConfig{ForceFlush: func(ctx context.Context) error {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("it may take for ever")
		}
		return broken
	}})
	r.Flush(ctx)
	r.Record(ctx, telemetry.Done.Times("", 1))
	if len(handled) != 2 || !errors.Is(handled[0], broken) || !errors.Is(handled[1], telemetry.ErrMetric) {
		t.Errorf("handled: %v", handled)
	}
}

const remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// A process that is told to stop still hands on what it has.
func TestFlushAtTheEnd(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var got error
	opentelemetry.NewRecorder(opentelemetry.RecorderConfig{ForceFlush: func(ctx context.Context) error { got = ctx.Err(); return nil }}).Flush(ended)
	if got != nil {
		t.Errorf("what is left is given no time: %v", got)
	}
}

func parsed(t *testing.T, text string) telemetry.Trace {
	t.Helper()
	trace, ok := telemetry.ParseTrace(text)
	if !ok {
		t.Fatal(text)
	}
	return trace
}

func TestTracer(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	tracer := opentelemetry.NewTracer(provider)
	with, invocation := provider.Tracer("test").Start(ctx, "invocation")
	came := parsed(t, remote+" Root=1-5759e988-bd862e3fe1be46a994272793 a=b")
	bare := parsed(t, "Root=1-5759e988-bd862e3fe1be46a994272793")
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	for name, test := range map[string]struct {
		ctx           context.Context
		span          telemetry.Span
		kind          trace.SpanKind
		trace, parent string
		links         []string
		attributes    string
	}{
		"a request": {telemetry.WithTrace(ctx, came), telemetry.Span{Operation: telemetry.Create, Queue: "photos", Task: "photo.resize"}, trace.SpanKindProducer, traceID, "00f067aa0ba902b7", nil,
			"messaging.destination.name=photos,messaging.operation.name=create,messaging.operation.type=create,messaging.system=aws_sqs,nightshift.outcome=queued,nightshift.task=photo.resize"},
		"within a span": {telemetry.WithTrace(with, came), telemetry.Span{Operation: telemetry.Create, Queue: "photos"}, trace.SpanKindProducer, invocation.SpanContext().TraceID().String(), invocation.SpanContext().SpanID().String(), nil, ""},
		"a run": {ctx, telemetry.Span{Operation: telemetry.Process, Queue: "photos", Job: "01kb", Attempt: 2, Parent: came, Links: []telemetry.Trace{came}}, trace.SpanKindConsumer, traceID, "00f067aa0ba902b7", []string{"00f067aa0ba902b7"},
			"messaging.destination.name=photos,messaging.operation.name=process,messaging.operation.type=process,messaging.system=aws_sqs,nightshift.attempt=2,nightshift.job.id=01kb,nightshift.outcome=queued"},
		"a run in an invocation": {with, telemetry.Span{Operation: telemetry.Process, Queue: "photos", Parent: came, Links: []telemetry.Trace{came}}, trace.SpanKindConsumer, traceID, "00f067aa0ba902b7", []string{invocation.SpanContext().SpanID().String(), "00f067aa0ba902b7"}, ""},
		"a run of X-Ray's":       {ctx, telemetry.Span{Operation: telemetry.Process, Queue: "photos", Parent: bare}, trace.SpanKindConsumer, "5759e988bd862e3fe1be46a994272793", "any", nil, ""},
		"a run of none":          {ctx, telemetry.Span{Operation: telemetry.Process, Queue: "photos", Parent: telemetry.NewTrace("01kb")}, trace.SpanKindConsumer, "any", "0000000000000000", nil, ""},
		"a batch": {ctx, telemetry.Span{Operation: telemetry.Send, Queue: "photos", Messages: 3, Links: []telemetry.Trace{came, {}, bare}}, trace.SpanKindClient, "any", "0000000000000000", []string{"00f067aa0ba902b7", "any"},
			"messaging.batch.message_count=3,messaging.destination.name=photos,messaging.operation.name=send,messaging.operation.type=send,messaging.system=aws_sqs,nightshift.outcome=queued"},
	} {
		t.Run(name, func(t *testing.T) {
			spans.Reset()
			within, end := tracer.Start(test.ctx, test.span)
			end("queued", nil)
			got := spans.GetSpans()[0]
			if got.Name != string(test.span.Operation)+" photos" || got.SpanKind != test.kind {
				t.Errorf("%s, %v", got.Name, got.SpanKind)
			}
			if id := got.SpanContext.TraceID().String(); test.trace != "any" && id != test.trace {
				t.Errorf("the trace is %s", id)
			}
			if parent := got.Parent.SpanID().String(); test.parent != "any" && parent != test.parent {
				t.Errorf("its parent is %s", parent)
			}
			var links []string
			for i, l := range got.Links {
				links = append(links, l.SpanContext.SpanID().String())
				if i < len(test.links) && test.links[i] == "any" {
					links[i] = "any"
				}
			}
			if !slices.Equal(links, test.links) {
				t.Errorf("links %v, want %v", links, test.links)
			}
			set := attribute.NewSet(got.Attributes...)
			if text := set.Encoded(attribute.DefaultEncoder()); test.attributes != "" && text != test.attributes {
				t.Errorf("attributes %s", text)
			}
			carried := telemetry.TraceFrom(within)
			if want := "00-" + got.SpanContext.TraceID().String() + "-" + got.SpanContext.SpanID().String() + "-01"; carried.Traceparent() != want {
				t.Errorf("carried on: %s, want %s", carried.String(), want)
			}
			if test.trace == traceID && (carried.Tracestate() != "a=b" || carried.XRay() != came.XRay()) {
				t.Errorf("carried on: %s", carried.String())
			}
		})
	}
}

type coded struct{}

func (coded) Error() string     { return "no such photo" }
func (coded) ErrorCode() string { return "not_found" }

func TestFailures(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	tracer := opentelemetry.NewTracer(sdk.NewTracerProvider(sdk.WithSyncer(spans)))
	for _, test := range []struct {
		err  error
		want string
	}{{fmt.Errorf("resizing: %w", coded{}), "not_found"}, {context.DeadlineExceeded, "context.deadlineExceededError"}} {
		spans.Reset()
		_, end := tracer.Start(ctx, telemetry.Span{Operation: telemetry.Process, Queue: "photos"})
		end("dead", test.err)
		got := spans.GetSpans()[0]
		set := attribute.NewSet(got.Attributes...)
		if kind, _ := set.Value("error.type"); kind.AsString() != test.want || got.Status.Description != test.err.Error() {
			t.Errorf("%q, %+v", kind.AsString(), got.Status)
		}
	}
}

// What is not sampled by who began the trace is not sampled here.
func TestNotSampled(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	tracer := opentelemetry.NewTracer(sdk.NewTracerProvider(sdk.WithSyncer(spans)))
	parent := parsed(t, strings.TrimSuffix(remote, "01")+"00")
	within, end := tracer.Start(ctx, telemetry.Span{Operation: telemetry.Process, Queue: "photos", Parent: parent})
	end("done", nil)
	carried := telemetry.TraceFrom(within)
	if len(spans.GetSpans()) != 0 || carried.ID() != parent.ID() || !strings.HasSuffix(carried.Traceparent(), "-00") {
		t.Errorf("%d spans, carried on: %s", len(spans.GetSpans()), carried.String())
	}
}
