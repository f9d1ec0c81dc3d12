// Command urgent-mail is the worker of the mail that somebody is waiting for.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		urgent, err := mail.NewUrgent(env.Mailer(), env.Rows(), env.Records())
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.UrgentMail, worker.Handle(tasks.SendUrgent, urgent.Send))
	})
}
