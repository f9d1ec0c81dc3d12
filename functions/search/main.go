// Command search is the worker that keeps the search index.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		subscriber, err := search.New(env.Rows(), env.Now)
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Search, wire.Handlers(tasks.SearchHears, subscriber.Follow)...)
	})
}
