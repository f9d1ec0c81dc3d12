// Command reminders is the worker that reminds people when the time has come.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/reminders"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		bell, err := reminders.NewBell(reminders.BellConfig{Rows: env.Rows(), Outbox: env.Outbox(), Now: env.Now})
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Reminders, worker.Handle(tasks.Remind, bell.Remind), worker.Handle(tasks.NudgeDraft, bell.Nudge))
	})
}
