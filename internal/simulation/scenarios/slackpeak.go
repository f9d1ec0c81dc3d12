package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// SlackPeak is the queue of the scenario slack-peak: 33,000 jobs a second.
func SlackPeak() job.Policy {
	return job.Policy{
		Queue: job.Queue{
			Name: "chats", PeakArrivals: 33_000, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10,
		},
		Timeout: 5 * time.Second,
	}
}

func slackPeak() Scenario {
	quotas := sizing.DefaultQuotas()
	policy := SlackPeak()
	peak := simulation.Config{
		Policy:  policy,
		Load:    simulation.Load{Curve: simulation.Spike(0, 0, 3*time.Hour, policy.Queue.PeakArrivals)},
		For:     3 * time.Hour,
		Clients: simulation.Clients{Behaviour: simulation.GiveUp},
		Scale:   200,
		Seed:    1,
	}
	return Scenario{
		Name:  "slack-peak",
		Title: "33,000 jobs a second, from nothing",
		Doc: `Slack's peak, on a stack that has never seen it.

A new table bears 4,000 writes a second, and a job is three. It bears twice as much each
half hour: meanwhile most jobs are refused. Lambda begins with five batches, and adds
300 a minute. With the table warmed up before (warm throughput) only the minutes in
which Lambda gets going are left.

What else binds at this size, the quotas to ask for and the monthly bill are
arithmetic, and no simulation: see docs/simulate.md.`,
		Runs: []simulation.Config{
			with(peak, "new table", func(c *simulation.Config) { c.Table.Writes = job.Rate(quotas.WarmWrites.Value) }),
			with(peak, "warm table", func(c *simulation.Config) { c.Table.Writes = 150_000 }),
		},
	}
}
