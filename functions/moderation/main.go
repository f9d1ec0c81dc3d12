// Command moderation is the worker that checks what is published for spam.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/moderation"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		subscriber, err := moderation.New(env.Rows(), env.Outbox(), env.Now)
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Moderation, wire.Handlers(tasks.ModerationHears, subscriber.Follow)...)
	})
}
