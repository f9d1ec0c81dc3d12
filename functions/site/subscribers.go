package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

// subscribers adds what was made of the events that tell of recipes.
func subscribers(env *wire.Env, api site.Routes) error {
	table := env.Rows()
	feed, err := feeds.New(table, env.Now)
	if err != nil {
		return err
	}
	index, err := search.New(table, env.Now)
	if err != nil {
		return err
	}
	feed.Register(api)
	index.Register(api)
	return nil
}
