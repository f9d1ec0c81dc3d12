// The relay publishes what was written to the jobs table: see package relay.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/relay"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		r, err := relay.New(relay.Config{
			Jobs:      env.Jobs(),
			Queue:     env.Queue(),
			Addresses: env.Addresses(tasks.Queues()...),
			Topics:    env.Topics(),
			TopicARNs: env.TopicARNs(tasks.Topics()...),
			Metrics:   env.Metrics,
			Logger:    env.Logger,
			Now:       env.Now,
		})
		if err != nil {
			return nil, err
		}
		return r.Handle, nil
	})
}
