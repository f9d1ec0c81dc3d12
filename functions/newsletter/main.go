// Command newsletter is the worker of the weekly newsletter.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		tokens, err := newsletter.NewTokens([]byte(env.Settings.Required(settings.Secret)))
		if err != nil {
			return nil, err
		}
		weekly, err := newsletter.New(newsletter.Config{
			Table: env.Rows(), Outbox: env.Outbox(), Mailer: env.Mailer(), Tokens: tokens, Now: env.Now,
		})
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Newsletter,
			worker.Handle(tasks.BeginIssue, weekly.Begin),
			worker.Handle(tasks.FanOut, weekly.FanOut),
			worker.Handle(tasks.SendCopy, weekly.Send),
		)
	})
}
