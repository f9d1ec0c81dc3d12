package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func fullQueue() Scenario {
	of := func(name string, full job.Full) simulation.Config {
		return with(evening(), name, func(c *simulation.Config) { c.Policy.Queue.Full = full })
	}
	return Scenario{
		Name:  "full-queue",
		Title: "The same spike, and what becomes of work for a full queue",
		Doc: `The chef's spike again, with the ways that a queue may go on when it is full.

refuse turns clients away, who are told when to come back.
degrade accepts, from half the limit on, photos of which two sizes are made at first and
the others when the queue is short: each takes half as long, so that the workers finish
60 a second.
spill accepts all and keeps in the table what does not fit, and releases it when there
is room. Nobody is refused, and those who are spilled wait as long as without a bound.
Who ignores Retry-After and never gives up gets in at last, as everybody does who is
stubborn enough. The price are dozens of requests for each that is accepted.`,
		Runs: []simulation.Config{
			of("refuse", job.Refuse), of("degrade", job.Degrade), of("spill", job.Spill),
			with(evening(), "refuse, clients ignore Retry-After", func(c *simulation.Config) { c.Clients.Behaviour, c.Clients.Every = simulation.Ignore, 5*time.Second }),
		},
	}
}
