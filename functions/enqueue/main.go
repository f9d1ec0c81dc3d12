// Enqueue is the function behind POST /jobs/{task}: it accepts jobs.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	jobs, err := producer.New(producer.Config{Jobs: env.Jobs(), Objects: env.Objects(), Metrics: env.Metrics, Now: env.Now}, tasks.Public()...)
	if err != nil {
		return nil, err
	}
	admit, err := env.Gates(tasks.Public()...)
	if err != nil {
		return nil, err
	}
	limit, err := env.RateLimit(nil)
	if err != nil {
		return nil, err
	}
	enqueue, err := httpapi.NewEnqueue(httpapi.EnqueueConfig{
		Producer: jobs,
		Gates:    admit,
		Limit:    limit,
		Secret:   []byte(env.Settings.Required(settings.Secret)),
		Logger:   env.Logger,
		Metrics:  env.Metrics,
	})
	if err != nil {
		return nil, err
	}
	return enqueue.Handle, nil
}
