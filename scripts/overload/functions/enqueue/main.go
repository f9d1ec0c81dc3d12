// Command enqueue accepts the overload's jobs, or refuses them.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		jobs, err := producer.New(producer.Config{Jobs: env.Jobs()}, work.Tasks()...)
		if err != nil {
			return nil, err
		}
		admit, err := env.Gates(work.Tasks()...)
		if err != nil {
			return nil, err
		}
		enqueue, err := httpapi.NewEnqueue(httpapi.EnqueueConfig{
			Producer: jobs, Gates: admit, Secret: []byte(env.Settings.Required(settings.Secret)), Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return enqueue.Handle, nil
	})
}
