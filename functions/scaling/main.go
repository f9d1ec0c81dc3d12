// Scaling moves workers: it carries out loans between queues, and raises a queue's
// concurrency when its oldest job waits too long: see package scaling.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		plans, err := sizing.ForTasks(tasks.Defined()...)
		if err != nil {
			return nil, err
		}
		f, err := env.Scaling(plans)
		if err != nil {
			return nil, err
		}
		return f.Handle, nil
	})
}
