// Package opentelemetry hands the toolkit's measurements and spans to OpenTelemetry:
// NewRecorder makes a telemetry.Recorder, NewTracer a telemetry.Tracer.
//
// It uses OpenTelemetry's API alone. A program that uses this package chooses the SDK and the
// exporters; one that does not has nothing of either. Names, units and attributes
// are those of the semantic conventions for messaging where they have one
// (https://opentelemetry.io/docs/specs/semconv/messaging/), and begin with "nightshift." elsewhere.
package opentelemetry
