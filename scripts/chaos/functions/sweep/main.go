// Command sweep promotes and heals the chaos's jobs, with the patience of a stack
// that works in seconds.
package main

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// visibility is that of the queues in template.yaml.
const visibility = 4 * time.Second

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		plans := map[string]sizing.Plan{}
		for _, q := range work.Queues() {
			plans[q.Name] = sizing.Plan{Queue: q, Visibility: visibility}
		}
		s, err := sweep.New(sweep.Config{
			Jobs: env.Jobs(), Plans: plans, Depths: env.Queue(), Addresses: env.Addresses(work.Queues()...), Logger: env.Logger,
			Waits:          sweep.Waits{Margin: 2 * time.Second, Relay: 10 * time.Second, Overdue: 5 * time.Second},
			SegmentsPerRun: sweep.Segments / 4,
		})
		if err != nil {
			return nil, err
		}
		return s.Handle, nil
	})
}
