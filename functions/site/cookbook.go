package main

import (
	"math/rand/v2"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/admission"
)

// cookbook adds who uses the site, and what they cook.
func cookbook(env *wire.Env, api site.Routes, admit map[string]*admission.Gate) (*readers.Readers, error) {
	table, signed := env.Rows(), env.Sessions()
	accounts, err := readers.New(readers.Config{Table: table, Now: env.Now, Logger: env.Logger})
	if err != nil {
		return nil, err
	}
	book, err := recipes.New(recipes.Config{
		Table: table, Outbox: env.Outbox(), Producer: env.Producer(), Jobs: env.Jobs(), Readers: accounts,
		Photos: admit[tasks.Photos.Name], Saved: trending.NewSaves(table, env.Now, rand.IntN).Has,
		Now: env.Now, Logger: env.Logger,
	})
	if err != nil {
		return nil, err
	}
	inbox, err := notices.New(table, env.Now)
	if err != nil {
		return nil, err
	}
	tries, err := env.Tries()
	if err != nil {
		return nil, err
	}
	readers.NewAPI(accounts, signed, tries, inbox.Unread).Register(api)
	recipes.NewAPI(book, signed).Register(api)
	inbox.Register(api)
	return accounts, nil
}
