// Command sweep releases the overload's spilled jobs.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		plans, err := sizing.ForTasks(work.Tasks()...)
		if err != nil {
			return nil, err
		}
		s, err := sweep.New(sweep.Config{
			Jobs: env.Jobs(), Plans: plans, Depths: env.Queue(), Addresses: env.Addresses(work.Queues()...), Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return s.Handle, nil
	})
}
