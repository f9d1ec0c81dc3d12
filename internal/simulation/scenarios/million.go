package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

// Million is a load of a million jobs, to measure the simulator by: spikes that fill
// the queue, clients who are refused and come back, failures and retries.
func Million() simulation.Config {
	c := evening()
	c.Name = "a million jobs"
	c.Load.Curve = simulation.Steady(20)
	for from := 10 * time.Minute; from < 10*time.Hour; from += 2 * time.Hour {
		c.Load.Curve = c.Load.Curve.With(from, 10*time.Minute, 100)
	}
	c.For = 10*time.Hour + 34*time.Minute
	c.Faults.Attempts = 0.02
	c.Service.Distribution = simulation.LogNormal
	return c
}
