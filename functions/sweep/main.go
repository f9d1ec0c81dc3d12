// The sweep promotes what is due and heals what was lost: see package sweep.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		plans, err := sizing.ForTasks(tasks.Defined()...)
		if err != nil {
			return nil, err
		}
		s, err := sweep.New(sweep.Config{
			Jobs:      env.Jobs(),
			Plans:     plans,
			Depths:    env.Queue(),
			Addresses: env.Addresses(tasks.Queues()...),
			Objects:   env.Objects(),
			Metrics:   env.Metrics,
			Logger:    env.Logger,
			Now:       env.Now,
		})
		if err != nil {
			return nil, err
		}
		return s.Handle, nil
	})
}
