package opentelemetry_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/opentelemetry"
)

// The recorder and the tracer go into the configurations of the worker, the relay and the
// producer. In Lambda, measurements and spans have to be out before the function is
// frozen, which ForceFlush and a syncing span processor see to.
func Example() {
	exporter := tracetest.NewInMemoryExporter() // or OTLP's
	spans := trace.NewTracerProvider(trace.WithSyncer(exporter))
	meters := metric.NewMeterProvider()

	recorder := opentelemetry.NewRecorder(opentelemetry.RecorderConfig{Meters: meters, ForceFlush: meters.ForceFlush})
	tracer := opentelemetry.NewTracer(spans)
	// worker.Config{Metrics: recorder, Tracer: tracer, …}

	ctx, end := tracer.Start(context.Background(), telemetry.Span{Operation: telemetry.Process, Queue: "photos"})
	recorder.Record(ctx, telemetry.Done.Times("photos", 1))
	end("done", nil)
	recorder.Flush(ctx)
	fmt.Println(exporter.GetSpans()[0].Name)
	// Output: process photos
}
