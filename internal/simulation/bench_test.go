package simulation_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
)

// BenchmarkAMillionJobs plays a million jobs through, from request to end.
func BenchmarkAMillionJobs(b *testing.B) {
	c := scenarios.Million()
	jobs := 0
	for b.Loop() {
		jobs = play(b, c).Totals.Arrived
	}
	b.ReportMetric(float64(jobs), "jobs")
	b.ReportMetric(float64(jobs)*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

// What a run needs grows with what there is at once, and not with what there ever was:
// with a slice of its jobs it would be a hundred bytes for each.
func TestMemoryIsOfWhatThereIsAtOnce(t *testing.T) {
	c := spike()
	c.Load.Curve, c.For = simulation.Steady(20), 10*time.Hour
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := play(t, c)
	runtime.ReadMemStats(&after)
	if each := float64(after.TotalAlloc-before.TotalAlloc) / float64(r.Totals.Arrived); each > 20 {
		t.Errorf("%.1f bytes are allocated for each job", each)
	}
	if len(r.Points) > 720 {
		t.Errorf("%d points", len(r.Points))
	}
}
