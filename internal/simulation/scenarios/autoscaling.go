package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

func autoscaling() Scenario {
	day := simulation.Config{
		Policy: photos(),
		Load:   simulation.Load{Curve: simulation.Daily(5, 25, 20*time.Hour).With(20*time.Hour, time.Hour, 50).With(9*time.Hour, 10*time.Minute, 100)},
		For:    24 * time.Hour,
		Seed:   1,
	}
	return Scenario{
		Name:  "autoscaling",
		Title: "A day with two spikes, with workers that grow on age",
		Doc: `A day that goes up to 25 uploads a second in the evening, with ten minutes of 100 in the
morning and an hour of 50 in the evening: more than 90 workers finish.

With MostWorkers the rule of package scaling looks at the oldest job's age each minute
and raises the number of workers, at once and as far as the backlog needs; it goes
down slowly. Look at the steps of "workers": up, and down again, and no to and fro.`,
		Runs: []simulation.Config{
			with(day, "90 workers", func(*simulation.Config) {}),
			with(day, "90 to 300 workers", func(c *simulation.Config) { c.Policy.Queue.MostWorkers = 300 }),
		},
	}
}
