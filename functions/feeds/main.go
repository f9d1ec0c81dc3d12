// Command feeds is the worker that brings recipes to followers' feeds.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		subscriber, err := feeds.New(env.Rows(), env.Now)
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Feeds, wire.Handlers(tasks.FeedsHear, subscriber.Follow)...)
	})
}
