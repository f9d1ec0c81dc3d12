// The backstop heals what SQS moved away because it was received too often: see
// package sweep.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		b, err := sweep.NewBackstop(sweep.BackstopConfig{
			Jobs:   env.Jobs(),
			Queue:  env.Queue(),
			Beside: env.Addresses(tasks.Photos)[tasks.Photos.Name],
			Logger: env.Logger,
			Now:    env.Now,
		})
		if err != nil {
			return nil, err
		}
		return b.Handle, nil
	})
}
