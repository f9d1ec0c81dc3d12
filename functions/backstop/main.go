// The backstop heals what SQS moved away because it was received too often: see
// package sweep. It runs behind two queues, one of them FIFO for FIFO queues.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		b, err := sweep.NewBackstop(sweep.BackstopConfig{
			Jobs:   env.Jobs(),
			Queue:  env.Queue(),
			Beside: queue.Address{URL: env.Settings.Required(settings.Backstop)},
			Logger: env.Logger,
			Now:    env.Now,
		})
		if err != nil {
			return nil, err
		}
		return b.Handle, nil
	})
}
