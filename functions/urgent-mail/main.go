// Command urgent-mail is the worker of the mail that somebody is waiting for.
package main

import (
	"crypto/rand"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/resets"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		table, mailer, records := env.Rows(), env.Mailer(), env.Records()
		urgent, err := mail.NewUrgent(mailer, table, records)
		if err != nil {
			return nil, err
		}
		accounts, err := readers.New(readers.Config{Table: table, Now: env.Now, Logger: env.Logger})
		if err != nil {
			return nil, err
		}
		forgotten, err := resets.NewSender(resets.Config{
			Table: table, Readers: accounts, Mailer: mailer, Records: records, Random: rand.Reader, Now: env.Now,
		})
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.UrgentMail,
			worker.Handle(tasks.SendUrgent, urgent.Send),
			worker.Handle(tasks.SendReset, forgotten.Send),
		)
	})
}
