// Command schedules enqueues Crumb's periodic jobs at their times: see package
// periodic.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		p, err := periodic.New(periodic.Config{
			Jobs: env.Jobs(), Producer: env.Producer(), Metrics: env.Metrics, Logger: env.Logger, Now: env.Now,
		}, tasks.Periodic()...)
		if err != nil {
			return nil, err
		}
		return p.Handle, nil
	})
}
