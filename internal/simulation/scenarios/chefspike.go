package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

const (
	spikeFrom = 10 * time.Minute
	spikeFor  = 10 * time.Minute
)

// evening is the photo queue when a chef with many followers asks for photos of their
// dinners: five times the peak, for ten minutes.
func evening() simulation.Config {
	return simulation.Config{
		Policy: photos(), Seed: 1,
		Load: simulation.Load{Curve: simulation.Spike(20, spikeFrom, spikeFor, 100)},
		For:  2 * time.Hour,
	}
}

func chefSpike() Scenario {
	return Scenario{
		Name:  "chef-spike",
		Title: "Uploads at five times the peak for ten minutes",
		Doc: `90 workers finish 30 photos a second. 20 arrive, and 100 for ten minutes.

Without a bound the queue grows by 70 a second to 42,000 photos. Who uploads then waits
1,400 seconds, and it takes 70 minutes until nobody waits any more: the workers gain
only 30 - 20 = 10 a second.

With the bound the queue ends at 18,000, what the workers finish in ten minutes. It is
full after 257 seconds; from then on some uploads are refused and told when to come
back. Every accepted photo is ready within ten minutes, the workers are as busy as
before, and it is over sooner: only what clients still want is left to do.`,
		Runs: []simulation.Config{
			with(evening(), "without a bound", func(c *simulation.Config) { c.Unbounded = true }),
			with(evening(), "with the bound", func(*simulation.Config) {}),
		},
	}
}
