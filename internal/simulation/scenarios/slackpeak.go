package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// warm is what the table is prepared for: the writes that the plan needs, rounded up.
const warm = 130_000

// crowd is the queue of 33,000 jobs a second.
func crowd() job.Policy {
	return job.Policy{
		Queue: job.Queue{
			Name: "chats", PeakArrivals: 33_000, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10,
		},
		Timeout: 5 * time.Second,
	}
}

func slackPeak() Scenario {
	quotas := sizing.DefaultQuotas()
	policy := crowd()
	peak := simulation.Config{
		Policy:  policy,
		Load:    simulation.Load{Curve: simulation.Spike(0, 0, 3*time.Hour, policy.Queue.PeakArrivals)},
		For:     3 * time.Hour,
		Clients: simulation.Clients{Behaviour: simulation.GiveUp},
		Scale:   200,
		Seed:    1,
	}
	return Scenario{
		Usage: &sizing.Usage{MeanArrivals: busyDay, Inside: true, Calls: sizing.FullBatches()},
		Name:  "slack-peak",
		Title: "33,000 jobs a second, from nothing",
		Doc: `Slack's peak, on a stack that has never seen it.

A new table bears 4,000 writes a second, and a job is three. It bears twice as much each
half hour: five doublings, two and a half hours, and meanwhile most jobs are refused. With
the table's warm throughput raised before, nobody is. What is left is Lambda's own start:
five batches at first and 300 more each minute, in which a million jobs wait, none for more
than 40 seconds.

Ten jobs in each invocation are what makes this possible with one queue: one by one they
would take 4,720 invocations at once, and a mapping has 1,000. What else binds at this
size, what lifts it and what it costs is arithmetic, and stands below. The bill is for
1.4 billion jobs each day, enqueued by other functions.`,
		Runs: []simulation.Config{
			with(peak, "new table", func(c *simulation.Config) { c.Table.Writes = job.Rate(quotas.WarmWrites.Value) }),
			with(peak, "warm table", func(c *simulation.Config) { c.Table.Writes = warm }),
		},
	}
}
