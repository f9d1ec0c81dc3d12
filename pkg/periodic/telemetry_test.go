package periodic_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
)

// Missed occurrences are counted, caught up or given up; those in time are not.
func TestMissedOccurrencesAreMeasured(t *testing.T) {
	w := newWorld(t, "2026-11-02T07:00:00Z")
	j := newsletter()
	jobs, err := store.New(store.Config{Driver: w, Now: func() time.Time { return w.now }})
	if err != nil {
		t.Fatal(err)
	}
	made, err := producer.New(producer.Config{Jobs: jobs}, send)
	if err != nil {
		t.Fatal(err)
	}
	var m telemetrytest.Recorder
	p, err := periodic.New(periodic.Config{Jobs: jobs, Producer: made, Metrics: &m, Now: func() time.Time { return w.now }}, j)
	if err != nil {
		t.Fatal(err)
	}
	w.mustFire(p, j, "2026-11-02T08:00:00Z")
	if n := m.Sum(telemetry.OccurrenceMissed, telemetry.Schedules); n != 0 {
		t.Errorf("%v before any was missed", n)
	}
	w.now = at(t, "2026-11-16T08:30:00Z")
	w.check(p)
	w.check(p)
	if n := m.Sum(telemetry.OccurrenceMissed, telemetry.Schedules); n != 2 || m.Unflushed() != 0 || m.Problems() != nil {
		t.Errorf("%v missed, %d not flushed, %v", n, m.Unflushed(), m.Problems())
	}
	if err := p.Occur(t.Context(), j.Name, at(t, "2026-10-26T08:00:00Z")); err != nil {
		t.Fatal(err)
	}
	if n := m.Sum(telemetry.OccurrenceMissed, telemetry.Schedules); n != 3 {
		t.Errorf("%v with an event that came weeks late", n)
	}
}
