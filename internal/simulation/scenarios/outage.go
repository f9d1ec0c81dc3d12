package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/backoff"
)

func outage() Scenario {
	steady := simulation.Config{
		Policy: photos(), Seed: 1, Unbounded: true,
		Load: simulation.Load{Curve: simulation.Steady(20)},
		For:  6 * time.Hour,
	}
	down := func(kind simulation.OutageKind) []simulation.Outage {
		return []simulation.Outage{{From: 30 * time.Minute, For: time.Hour, Kind: kind}}
	}
	return Scenario{
		Name:  "outage",
		Title: "An hour without workers",
		Doc: `For an hour no photo is resized, while 20 a second arrive: 72,000 wait in the end.

The 90 workers of the plan finish 30 a second, gain 10, and need two hours more. Twice
the capacity that arrivals take, 120 workers at 40 a second, needs one hour: after an
hour's outage, double the capacity for another hour.

In the third run the workers are there and fail, as when a database is down. Each failure
is tried again after a wait that doubles. Nothing is lost, but the jobs that failed most
often wait for their time when all is well again: one in a hundred is done more than 100
minutes after it was accepted, the last after hours. Who knows that the trouble is over
can try them at once (nightshift jobs retry).`,
		Runs: []simulation.Config{
			with(steady, "stopped, 90 workers", func(c *simulation.Config) { c.Faults.Outages = down(simulation.Stopped) }),
			with(steady, "stopped, 120 workers", func(c *simulation.Config) { c.Workers, c.Faults.Outages = 120, down(simulation.Stopped) }),
			with(steady, "failing, 120 workers", func(c *simulation.Config) {
				c.Workers, c.Faults.Outages, c.Faults.FailAfter = 120, down(simulation.Failing), time.Second
				c.Policy.MaxAttempts, c.Policy.Backoff = 25, backoff.Policy{}
			}),
		},
	}
}
