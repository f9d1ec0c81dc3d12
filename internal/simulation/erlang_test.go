package simulation_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Independent arrivals and exponential service times are what Erlang's formula is of
// (M/M/c): the simulated share of jobs that wait and their mean wait have to be its.
func TestWaitsAreErlangs(t *testing.T) {
	for _, c := range []struct {
		workers     int
		utilisation float64
		// jobs are as many as even chance out to within, a share of the formula's
		// figure: the busier the workers, the longer a backlog lasts.
		jobs   float64
		within float64
	}{
		{1, 0.5, 100_000, 0.05}, {1, 0.8, 300_000, 0.1}, {4, 0.7, 200_000, 0.05}, {10, 0.9, 800_000, 0.1}, {90, 0.85, 800_000, 0.12},
	} {
		service := time.Second
		arrivals := job.Rate(c.utilisation * float64(c.workers) / service.Seconds())
		r := play(t, simulation.Config{
			Policy: job.Policy{
				Queue:   job.Queue{Name: "q", PeakArrivals: arrivals, ServiceTime: service, LongestWait: time.Hour, Polled: true},
				Timeout: time.Hour,
			},
			Workers: c.workers, Unbounded: true, Seed: 7,
			Load:     simulation.Load{Curve: simulation.Steady(arrivals)},
			For:      time.Duration(c.jobs / float64(arrivals) * float64(time.Second)),
			Service:  simulation.Service{Distribution: simulation.Exponential},
			Delivery: simulation.Delivery{Relay: -1},
		})
		want := sizing.WaitingFor(arrivals, service, c.workers)
		near(t, "mean wait, in seconds", r.Totals.Wait.Mean.Seconds(), want.Mean.Seconds(), c.within)
		near(t, "99th percentile, in seconds", r.Totals.Wait.P99.Seconds(), want.Percentile(0.99).Seconds(), c.within)
		near(t, "utilisation", r.Totals.Utilisation(), c.utilisation, 0.02)
		// Little's law: what is in progress on average is what arrives times what it
		// takes.
		inProgress := r.Totals.BusyTime / r.Lasted.Seconds()
		near(t, "in progress", inProgress, float64(r.Totals.Done)/r.Lasted.Seconds()*service.Seconds(), 0.02)
		near(t, "jobs that arrived", float64(r.Totals.Arrived), c.jobs, 0.01)
	}
}
