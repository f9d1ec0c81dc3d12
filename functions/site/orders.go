package main

import (
	"crypto/rand"

	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/imports"
	"github.com/nightshift-go/nightshift/internal/crumb/pdfs"
	"github.com/nightshift-go/nightshift/internal/crumb/reminders"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// orders adds what readers order and come back for: exports, PDFs,
// imports, reminders.
func orders(env *wire.Env, api site.Routes, admit map[string]*admission.Gate) error {
	table, jobs, box := env.Rows(), env.Jobs(), env.Outbox()
	bucket := env.Bucket()
	links, err := exports.NewLinks([]byte(env.Settings.Required(settings.Secret)))
	if err != nil {
		return err
	}
	desk, err := exports.NewDesk(exports.DeskConfig{
		Rows: table, Jobs: jobs, Outbox: box, Gate: admit[tasks.Exports.Name], Links: links,
		Presign: bucket.PresignGet, Now: env.Now, Random: rand.Reader,
	})
	if err != nil {
		return err
	}
	printing := &pdfs.API{
		Rows: table, Producer: env.Producer(), Gate: admit[tasks.PDFs.Name], Size: bucket.Size, Presign: bucket.PresignGet,
	}
	reminding, err := reminders.New(reminders.Config{
		Rows: table, Jobs: jobs, Producer: env.Producer(), Outbox: box, Now: env.Now, Random: rand.Reader,
	})
	if err != nil {
		return err
	}
	importing, err := imports.NewDesk(imports.DeskConfig{
		Rows: table, Jobs: jobs, Outbox: box, Producer: env.Producer(), Gate: admit[tasks.Imports.Name], Now: env.Now, Random: rand.Reader,
	})
	if err != nil {
		return err
	}
	desk.Register(api)
	importing.Register(api)
	printing.Register(api)
	reminding.Register(api)
	trending.NewAPI(table, env.Now).Register(api)
	return nil
}
