// Command notices is the worker that tells readers of new recipes.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		subscriber, err := notices.New(env.Rows(), env.Now)
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Notices, wire.Handlers(tasks.NoticesHear, subscriber.Follow)...)
	})
}
