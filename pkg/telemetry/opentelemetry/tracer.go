package opentelemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A Tracer is a telemetry.Tracer. Make one with NewTracer.
type Tracer struct{ tracer trace.Tracer }

// NewTracer makes a Tracer; nil means otel.GetTracerProvider().
func NewTracer(provider trace.TracerProvider) *Tracer {
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	return &Tracer{provider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))}
}

// Start begins a span.
//
// A job's creation is a child of the span that the context has, or else of the trace that came with
// the request. A run is a child of its job's creation, wherever that was, so that one trace
// tells the whole story, and linked to it, as the conventions advise; and to the span of the
// invocation that it is part of, if there is one. A send of several messages
// belongs to none of them: it has links to all.
func (t *Tracer) Start(ctx context.Context, s telemetry.Span) (context.Context, func(outcome string, err error)) {
	around := trace.SpanContextFromContext(ctx)
	options := []trace.SpanStartOption{trace.WithSpanKind(kinds[s.Operation]), trace.WithAttributes(about(s)...)}
	carried := s.Parent
	if carried.IsZero() {
		carried = telemetry.TraceFrom(ctx)
	}
	if parent, ok := remote(s.Parent); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
		if around.IsValid() && !around.IsRemote() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: around}))
		}
	} else if !around.IsValid() {
		if parent, ok := remote(carried); ok {
			ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
		}
	}
	for _, link := range s.Links {
		if to, ok := remote(link); ok {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: to}))
		}
	}
	ctx, span := t.tracer.Start(ctx, string(s.Operation)+" "+s.Queue, options...)
	if c := span.SpanContext(); c.IsValid() {
		ctx = telemetry.WithTrace(ctx, carried.Of(c.TraceID(), c.SpanID(), byte(c.TraceFlags()), c.TraceState().String()))
	}
	return ctx, func(outcome string, err error) { end(span, outcome, err) }
}

var kinds = map[telemetry.Operation]trace.SpanKind{
	telemetry.Create:  trace.SpanKindProducer,
	telemetry.Send:    trace.SpanKindClient,
	telemetry.Process: trace.SpanKindConsumer,
}

var operationTypes = map[telemetry.Operation]attribute.KeyValue{
	telemetry.Create:  semconv.MessagingOperationTypeCreate,
	telemetry.Send:    semconv.MessagingOperationTypeSend,
	telemetry.Process: semconv.MessagingOperationTypeProcess,
}

func about(s telemetry.Span) []attribute.KeyValue {
	all := []attribute.KeyValue{
		semconv.MessagingSystemAWSSQS, semconv.MessagingOperationName(string(s.Operation)), operationTypes[s.Operation],
		semconv.MessagingDestinationName(s.Queue),
	}
	if s.Job != "" {
		all = append(all, attribute.String("nightshift.job.id", s.Job))
	}
	if s.Task != "" {
		all = append(all, attribute.String("nightshift.task", s.Task))
	}
	if s.Attempt > 0 {
		all = append(all, attribute.Int("nightshift.attempt", s.Attempt))
	}
	if s.Messages > 1 {
		all = append(all, semconv.MessagingBatchMessageCount(s.Messages))
	}
	return all
}

// remote gives a trace as the context of a span elsewhere. One that was made here, for want of
// another (telemetry.NewTrace), has no span: the one that begins is its first.
func remote(t telemetry.Trace) (trace.SpanContext, bool) {
	if t.String() == "" {
		return trace.SpanContext{}, false
	}
	traceID, spanID, flags, ok := t.SpanContext()
	if !ok {
		return trace.SpanContext{}, false
	}
	state, err := trace.ParseTraceState(t.Tracestate())
	if err != nil {
		state = trace.TraceState{} // its parser is stricter than the standard in places
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(flags), TraceState: state, Remote: true}), true
}

func end(span trace.Span, outcome string, err error) {
	defer span.End()
	if outcome != "" {
		span.SetAttributes(attribute.String("nightshift.outcome", outcome))
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		span.SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
	}
}

// errorType gives the error's code, where it has one, and else its type.
func errorType(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		if code := coded.ErrorCode(); code != "" {
			return code
		}
	}
	return fmt.Sprintf("%T", err)
}
