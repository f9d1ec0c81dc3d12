package admission

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// measure counts a decision, and notes what a reading says once, when it is first
// decided by; the caller holds mu.
func (g *Gate) measure(ctx context.Context, d *Decision) {
	record := func(m telemetry.Measurement) { telemetry.Record(ctx, g.config.Metrics, m) }
	queue := g.config.Queue
	if number := g.meter.believed.number; number != g.measured {
		g.measured = number
		record(telemetry.Depth.Value(queue, float64(d.Depth)))
		record(telemetry.Age.Took(queue, d.Age))
	}
	if !d.Admitted {
		record(telemetry.Refused.Times(queue, 1))
		return
	}
	record(telemetry.Accepted.Times(queue, 1))
	switch d.Form {
	case Degraded:
		record(telemetry.Degraded.Times(queue, 1))
	case Spilled:
		record(telemetry.Spilled.Times(queue, 1))
	}
}
