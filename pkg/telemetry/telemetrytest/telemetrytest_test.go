package telemetrytest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
)

func TestRecorder(t *testing.T) {
	var r telemetrytest.Recorder
	ctx := context.Background()
	telemetry.Record(ctx, &r, telemetry.Depth.Value("photos", 3))
	telemetry.Record(ctx, &r, telemetry.Depth.Value("photos", 4))
	telemetry.Flush(ctx, &r)
	telemetry.Record(ctx, &r, telemetry.Depth.Value("", 5))
	if got := r.Values(telemetry.Depth, "photos"); !slices.Equal(got, []float64{3, 4}) || r.Sum(telemetry.Depth, "photos") != 7 {
		t.Errorf("%v", got)
	}
	if r.Unflushed() != 1 || len(r.Problems()) != 1 || r.Values(telemetry.Age, "photos") != nil {
		t.Errorf("%d unflushed, %v", r.Unflushed(), r.Problems())
	}
}
