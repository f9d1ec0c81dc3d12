package opentelemetry

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// scope is the name of the instrumentation.
const scope = "github.com/nightshift-go/nightshift"

// FlushWithin is how long Recorder.Flush waits at most, also where its context has ended:
// a process that stops hands on what is left.
const FlushWithin = 2 * time.Second

// A RecorderConfig sets a Recorder up.
type RecorderConfig struct {
	// Meters gives the meter; default otel.GetMeterProvider().
	Meters metric.MeterProvider
	// ForceFlush is called at the end of each invocation and batch, before a function may be
	// frozen: the SDK's MeterProvider.ForceFlush. It is given FlushWithin, and its errors go to
	// otel.Handle. Nil, for processes that run on, leaves it to the SDK's reader.
	ForceFlush func(context.Context) error
}

// A Recorder is a telemetry.Recorder. Measurements that are not sound (Check) go to
// otel.Handle. It remembers telemetry.MaxSeries series; those beyond take longer. How many
// are handed on is the SDK's to bound (cardinality limits). Make one with NewRecorder.
type Recorder struct {
	meter  metric.Meter
	flush  func(context.Context) error
	series sync.Map // of seriesKey to *series
	known  atomic.Int64
}

type seriesKey struct{ by, of, name string }

// A series is an instrument with the attributes of one series of measurements.
type series struct {
	scale      float64
	attributes metric.MeasurementOption
	counter    metric.Float64Counter
	gauge      metric.Float64Gauge
	histogram  metric.Float64Histogram
}

// NewRecorder makes a Recorder.
func NewRecorder(config RecorderConfig) *Recorder {
	if config.Meters == nil {
		config.Meters = otel.GetMeterProvider()
	}
	return &Recorder{meter: config.Meters.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL)), flush: config.ForceFlush}
}

// Record records a measurement.
func (r *Recorder) Record(ctx context.Context, m telemetry.Measurement) {
	if err := m.Check(); err != nil {
		otel.Handle(err)
		return
	}
	key := seriesKey{m.Metric.By, m.Of, m.Metric.Name}
	known, ok := r.series.Load(key)
	if !ok {
		made, err := r.make(m)
		if err != nil {
			otel.Handle(err)
		}
		if known = made; r.known.Add(1) <= telemetry.MaxSeries {
			r.series.Store(key, made)
		}
	}
	s := known.(*series)
	switch value := m.Value * s.scale; {
	case s.counter != nil:
		s.counter.Add(ctx, value, s.attributes)
	case s.gauge != nil:
		s.gauge.Record(ctx, value, s.attributes)
	case s.histogram != nil:
		s.histogram.Record(ctx, value, s.attributes)
	}
}

// Flush hands on what was recorded, where the configuration says how.
func (r *Recorder) Flush(ctx context.Context) {
	if r.flush == nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), FlushWithin)
	defer done()
	if err := r.flush(ctx); err != nil {
		otel.Handle(err)
	}
}

// make gives the series of a measurement. The API gives an instrument also with an error.
func (r *Recorder) make(m telemetry.Measurement) (*series, error) {
	i := instrumentOf(m.Metric)
	s := &series{scale: scale(m.Metric), attributes: metric.WithAttributeSet(attributes(i, m))}
	unit, description := metric.WithUnit(i.unit), metric.WithDescription(i.description)
	var err error
	switch m.Metric.Kind {
	case telemetry.Counter:
		s.counter, err = r.meter.Float64Counter(i.name, unit, description)
	case telemetry.Gauge:
		s.gauge, err = r.meter.Float64Gauge(i.name, unit, description)
	default:
		options := []metric.Float64HistogramOption{unit, description}
		if i.unit == "s" {
			options = append(options, metric.WithExplicitBucketBoundaries(seconds...))
		}
		s.histogram, err = r.meter.Float64Histogram(i.name, options...)
	}
	return s, err
}

func attributes(i instrument, m telemetry.Measurement) attribute.Set {
	var all []attribute.KeyValue
	switch m.Metric.By {
	case "":
	case telemetry.ByQueue:
		all = append(all, semconv.MessagingDestinationName(m.Of))
	case telemetry.ByFunction:
		all = append(all, attribute.String("nightshift.function", m.Of))
	default:
		all = append(all, attribute.String(snake(m.Metric.By), m.Of))
	}
	if i.operation != "" {
		all = append(all, semconv.MessagingSystemAWSSQS, semconv.MessagingOperationName(i.operation))
	}
	return attribute.NewSet(all...)
}
