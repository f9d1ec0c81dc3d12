// Site is the function behind /api: accounts, recipes, and whatever else readers
// ask for.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	table, jobs, producer, box, signed := env.Rows(), env.Jobs(), env.Producer(), env.Outbox(), env.Sessions()
	url := func(queue string) string { return env.Settings.Required(settings.QueueURL(queue)) }
	admit, err := gates.New(env.Queue(), url, tasks.Resize, tasks.Export, tasks.Print)
	if err != nil {
		return nil, err
	}
	if err := env.Err(); err != nil {
		return nil, err
	}
	accounts, err := readers.New(readers.Config{Table: table, Now: env.Now, Logger: env.Logger})
	if err != nil {
		return nil, err
	}
	cookbook, err := recipes.New(recipes.Config{
		Table: table, Outbox: box, Producer: producer, Jobs: jobs, Readers: accounts,
		Photos: admit[tasks.Photos.Name], Now: env.Now, Logger: env.Logger,
	})
	if err != nil {
		return nil, err
	}
	inbox, err := notices.New(table, env.Now)
	if err != nil {
		return nil, err
	}
	feed, err := feeds.New(table, env.Now)
	if err != nil {
		return nil, err
	}
	index, err := search.New(table, env.Now)
	if err != nil {
		return nil, err
	}
	api, err := site.New(site.Config{Sessions: signed, Logger: env.Logger})
	if err != nil {
		return nil, err
	}
	readers.NewAPI(accounts, signed, inbox.Unread).Register(api)
	recipes.NewAPI(cookbook, signed).Register(api)
	index.Register(api)
	feed.Register(api)
	inbox.Register(api)
	if err := mails(env, api, accounts); err != nil {
		return nil, err
	}
	if err := orders(env, api, admit); err != nil {
		return nil, err
	}
	return api.Invoke, nil
}
