// Command trending is the worker that works out the trending list.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		list := trending.NewRecounter(env.Rows())
		return env.Worker(tasks.Trending, worker.Handle(tasks.RecountTrending, list.Recount))
	})
}
