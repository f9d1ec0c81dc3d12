package sweep

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

func (s *Sweep) measure(ctx context.Context, m telemetry.Measurement) {
	telemetry.Record(ctx, s.config.Metrics, m)
}

// measureSpill notes what waits for its release. Queues that spill are measured by every
// run, so that one sees the end of it; others while there is something.
func (s *Sweep) measureSpill(ctx context.Context, plan sizing.Plan, waiting int) {
	if waiting > 0 || plan.Queue.Full == job.Spill {
		s.measure(ctx, telemetry.SpillDepth.Value(plan.Queue.Name, float64(waiting)))
	}
}

// lateness remembers the longest of many times. It may be used by many goroutines.
type lateness struct{ longest atomic.Int64 }

func (l *lateness) see(d time.Duration) {
	for {
		before := l.longest.Load()
		if int64(d) <= before || l.longest.CompareAndSwap(before, int64(d)) {
			return
		}
	}
}

func (l *lateness) latest() time.Duration { return time.Duration(l.longest.Load()) }
