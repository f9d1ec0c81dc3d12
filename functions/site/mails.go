package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/resets"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// mails are the routes that have to do with mail: the newsletter, and passwords that
// were forgotten.
func mails(env *wire.Env, api *site.Site, accounts *readers.Readers, signed *sessions.Sessions) error {
	table := env.Rows()
	tokens, err := newsletter.NewTokens([]byte(env.Settings.Required(settings.Secret)))
	if err != nil {
		return err
	}
	newsletter.NewAPI(table, tokens).Register(api)
	forgotten := &resets.API{Table: table, Readers: accounts, Producer: env.Producer(), Outbox: env.Outbox(), Sessions: signed, Now: env.Now}
	forgotten.Register(api)
	return env.Err()
}
