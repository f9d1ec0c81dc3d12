package opentelemetry

import (
	"context"
	"strconv"
	"testing"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Whatever dimensions are given, what a process remembers of them is bounded.
func TestSeriesAreBounded(t *testing.T) {
	r := NewRecorder(RecorderConfig{Meters: noop.NewMeterProvider()})
	for i := range 3 * telemetry.MaxSeries {
		r.Record(context.Background(), telemetry.Done.Times(strconv.Itoa(i), 1))
	}
	known := 0
	r.series.Range(func(any, any) bool { known++; return true })
	if known != telemetry.MaxSeries {
		t.Errorf("it remembers %d series", known)
	}
}
