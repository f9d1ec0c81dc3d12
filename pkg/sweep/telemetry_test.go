package sweep_test

import (
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
)

// Each run tells how late the latest was that it promoted.
func TestLatenessIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m telemetrytest.Recorder
		w := newWorld(t)
		var err error
		w.sweep, err = sweep.New(sweep.Config{Jobs: w.jobs, Logger: slog.New(slog.DiscardHandler), Metrics: &m})
		if err != nil {
			t.Fatal(err)
		}
		w.enqueue("slow", 20*time.Minute)
		w.enqueue("slow", 21*time.Minute)
		w.enqueue("slow", 40*time.Minute)
		runs := []time.Duration{0, 25 * time.Minute, time.Minute, 13 * time.Minute} // nothing; two late ones; nothing; one in time
		for _, after := range runs {
			time.Sleep(after)
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
		}
		want := []float64{0, (5 * time.Minute).Seconds() * 1000, 0, 0}
		if got := m.Values(telemetry.SweepLag, telemetry.Sweep); !slices.Equal(got, want) || m.Unflushed() != 0 || m.Problems() != nil {
			t.Errorf("%v, %d not flushed, %v", got, m.Unflushed(), m.Problems())
		}
	})
}

// What is released is counted, and what is left also while nothing is released.
func TestReleasesAreMeasured(t *testing.T) {
	var m telemetrytest.Recorder
	b := newBasin(t)
	plan := sizing.Plan{Queue: job.Queue{Name: "photos", PeakArrivals: 1, LongestWait: longestWait, Full: job.Spill}, DrainRate: 2, Limit: 60}
	var err error
	b.sweep, err = sweep.New(sweep.Config{
		Jobs: b.jobs, Depths: b.depths, Now: b.clock, Plans: map[string]sizing.Plan{"photos": plan, "mails": {Queue: job.Queue{Name: "mails"}, DrainRate: 1, Limit: 10}},
		Addresses: map[string]queue.Address{"photos": {URL: basinURL}, "mails": {URL: basinURL}}, Logger: slog.New(slog.DiscardHandler), Metrics: &m,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.spill(t, "photos", 5)
	if err := b.jobs.SetSpillRate(t.Context(), "photos", 1, true); err != nil {
		t.Fatal(err)
	}
	b.minute()
	if err := b.jobs.SetSpillRate(t.Context(), "photos", 1, false); err != nil {
		t.Fatal(err)
	}
	b.minute()
	b.minute()
	if left, released := m.Values(telemetry.SpillDepth, "photos"), m.Values(telemetry.Released, "photos"); !slices.Equal(left, []float64{5, 5, 0}) || !slices.Equal(released, []float64{5}) {
		t.Errorf("left %v, released %v", left, released)
	}
	if other := m.Values(telemetry.SpillDepth, "mails"); other != nil {
		t.Errorf("a queue that does not spill: %v", other)
	}
}
