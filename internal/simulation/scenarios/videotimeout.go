package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func videoTimeout() Scenario {
	videos := simulation.Config{
		Policy: job.Policy{
			Queue: job.Queue{
				Name: "videos", PeakArrivals: job.PerMinute(5), ServiceTime: 2 * time.Minute, LongestWait: 30 * time.Minute, Polled: true,
			},
			Timeout: 20 * time.Minute,
		},
		Load:      simulation.Load{Curve: simulation.Steady(job.PerMinute(5))},
		For:       8 * time.Hour,
		Until:     8 * time.Hour,
		Service:   simulation.Service{Distribution: simulation.LogNormal, Spread: 0.3},
		Faults:    simulation.Faults{Crashes: 0.01},
		Unbounded: true,
		Seed:      1,
	}
	plain := func(name string, visibility time.Duration) simulation.Config {
		return with(videos, name, func(c *simulation.Config) {
			c.Delivery.Plain, c.Delivery.Visibility = true, visibility
			c.Policy.MaxAttempts = 1000
		})
	}
	return Scenario{
		Name:  "video-timeout",
		Title: "Films of two minutes, and a visibility timeout of 30 seconds",
		Doc: `Five films a minute, two minutes each: ten in progress, and 20 workers for them.

With SQS's default visibility timeout a film that is worked on is visible again after 30
seconds, and a second worker begins with it, and a third, until the first is through and
deletes the message. More than half of the work is done twice: workers that should be half
idle are always busy, and films wait that need not. (SQS promises less than this model:
it may even ignore the deletion by the first worker, who has an old receipt.)

A timeout above the slowest film cures that, at the price that a film whose worker died
waits as long. With heartbeats and a claim in the table (worker.Poll) no film is begun
twice, and a worker that dies, as one in a hundred does here, costs a minute.`,
		Runs: []simulation.Config{
			plain("30 s, plain worker", 30*time.Second),
			plain("10 min, plain worker", 10*time.Minute),
			with(videos, "heartbeats and claims", func(*simulation.Config) {}),
		},
	}
}
