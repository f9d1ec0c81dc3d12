// Site is the function behind /api: accounts, recipes, and whatever else readers
// ask for.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() { wire.Start(handler) }

// handler puts the parts of the API together. Each registers its own routes.
func handler(env *wire.Env) (any, error) {
	admit, err := env.Gates(tasks.Resize, tasks.Export, tasks.Print, tasks.SplitImport)
	if err != nil {
		return nil, err
	}
	signed := env.Sessions()
	if err := env.Err(); err != nil {
		return nil, err
	}
	limit, err := env.RateLimit(signed)
	if err != nil {
		return nil, err
	}
	api, err := site.New(site.Config{Sessions: signed, Limit: limit, Logger: env.Logger})
	if err != nil {
		return nil, err
	}
	accounts, err := cookbook(env, api, admit)
	if err != nil {
		return nil, err
	}
	if err := subscribers(env, api); err != nil {
		return nil, err
	}
	if err := mails(env, api, accounts, signed); err != nil {
		return nil, err
	}
	if err := orders(env, api, admit); err != nil {
		return nil, err
	}
	return api.Invoke, nil
}
