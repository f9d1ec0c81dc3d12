package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// busyDay is how many jobs a second 1.4 billion a day are, on average.
const busyDay = 1.4e9 / 86_400

func slackOutage() Scenario {
	const roomFor = 20_000_000 // jobs of a KB in 20 GB of memory
	chats := simulation.Config{
		Policy: job.Policy{
			Queue: job.Queue{
				Name: "chats", PeakArrivals: busyDay, ServiceTime: 100 * time.Millisecond, LongestWait: 10 * time.Minute, Polled: true,
			},
			Timeout: time.Minute,
		},
		Load:  simulation.Load{Curve: simulation.Steady(busyDay)},
		For:   3 * time.Hour,
		Until: 5 * time.Hour,
		Faults: simulation.Faults{Outages: []simulation.Outage{
			{From: 20 * time.Minute, For: time.Hour, Kind: simulation.Slow, Factor: 2.5},
		}},
		Clients: simulation.Clients{Behaviour: simulation.GiveUp},
		Scale:   100,
		Seed:    1,
	}
	return Scenario{
		Name:  "slack-outage",
		Title: "1.4 billion jobs a day, and a database that is slow for an hour",
		Doc: `What Slack's engineers have told of their job queue, at its size. A database gets slow, jobs
take 2.5 times as long, and arrive as before.

In the first run the queue lies in memory that holds 20 million jobs. It fills, and then
no job can be added; nor can one be taken off, since that needs a little room as well.
When the database is well again nothing happens: the queue is stuck until people make
room by hand.

The same without that flaw keeps working, and refuses what does not fit: where the memory
ends, when jobs wait 26 minutes.

The third run is bounded by the wait, and spills to the table: nothing is lost, nothing is
refused, and no worker stands idle. What was spilled is released as fast as the workers
gain; some of it waits for long, so that new jobs need not.`,
		Runs: []simulation.Config{
			with(chats, "memory, removing needs room", func(c *simulation.Config) {
				c.Unbounded, c.Delivery.Room, c.Delivery.RemovingNeedsRoom = true, roomFor, true
			}),
			with(chats, "memory, removing needs none", func(c *simulation.Config) {
				c.Unbounded, c.Delivery.Room = true, roomFor
			}),
			with(chats, "bounded, spilled to the table", func(c *simulation.Config) { c.Policy.Queue.Full = job.Spill }),
		},
	}
}
