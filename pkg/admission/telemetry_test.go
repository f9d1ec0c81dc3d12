package admission

import (
	"slices"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
)

// Decisions are counted by their form, and each reading is noted once.
func TestDecisionsAreMeasured(t *testing.T) {
	for _, test := range []struct {
		full                                 job.Full
		accepted, refused, degraded, spilled float64
	}{{job.Refuse, 10, 20, 0, 0}, {job.Spill, 30, 0, 0, 20}, {job.Replace, 30, 0, 0, 0}, {job.Degrade, 10, 20, 10, 0}} {
		var m telemetrytest.Recorder
		w := &world{depth: 90, now: time.Unix(1_800_000_000, 0)}
		w.oldest = w.now.Add(-7 * time.Second)
		c := w.config(100, 1)
		c.Full, c.Metrics = test.full, &m
		g := made(t, c)
		for range 30 {
			g.Admit(t.Context())
		}
		g.Check(t.Context())
		for metric, want := range map[telemetry.Metric]float64{
			telemetry.Accepted: test.accepted, telemetry.Refused: test.refused, telemetry.Degraded: test.degraded, telemetry.Spilled: test.spilled,
		} {
			if got := m.Sum(metric, "photos"); got != want {
				t.Errorf("%q: %s %v, want %v", test.full, metric.Name, got, want)
			}
		}
		if depth, age := m.Values(telemetry.Depth, "photos"), m.Values(telemetry.Age, "photos"); !slices.Equal(depth, []float64{90}) || !slices.Equal(age, []float64{7}) {
			t.Errorf("%q: depth %v, age %v", test.full, depth, age)
		}
		w.now = w.now.Add(2 * time.Second)
		g.Admit(t.Context())
		if depth := m.Values(telemetry.Depth, "photos"); len(depth) != 2 || m.Problems() != nil {
			t.Errorf("%q: depth %v, %v", test.full, depth, m.Problems())
		}
	}
}
