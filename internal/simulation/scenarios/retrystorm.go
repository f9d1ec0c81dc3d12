package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// doubling are the waits of the default policy without jitter: each at its bound.
func doubling(attempt int) time.Duration { return backoff.Policy{}.Longest(attempt) }

func retryStorm() Scenario {
	mails := simulation.Config{
		Policy: job.Policy{
			Queue: job.Queue{
				Name: "mails", PeakArrivals: job.PerSecond(1000), ServiceTime: 200 * time.Millisecond,
				LongestWait: 10 * time.Minute, Batch: 10,
			},
			Timeout: 10 * time.Second,
		},
		Load:      simulation.Load{Curve: simulation.Spike(0, time.Minute, 5*time.Second, 1000)},
		For:       2 * time.Minute,
		Until:     time.Hour,
		Unbounded: true,
		Faults:    simulation.Faults{Dependency: 50, FailAfter: 20 * time.Millisecond},
		Seed:      1,
	}
	return Scenario{
		Name:  "retry-storm",
		Title: "5,000 jobs against a service that bears 50 calls a second",
		Doc: `5,000 mails are to be sent at once, by workers that make a thousand calls a second. The
service behind them takes 50 a second, and fails the others.

Without jitter those that failed together come back together, each time: a few hundred
pass, the others fail again, and wait twice as long for the next crowd. After an hour two
thirds of the mails are not sent, and the next crowd is due when another hour has passed.

With full jitter each wait is drawn from nothing to the same bound. The attempts spread
over the time, the service is busy all the while, and all is sent within nine minutes,
with half the calls.`,
		Runs: []simulation.Config{
			with(mails, "without jitter", func(c *simulation.Config) { c.Policy.Backoff.Wait = doubling }),
			with(mails, "with full jitter", func(*simulation.Config) {}),
		},
	}
}
