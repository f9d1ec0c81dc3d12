// Command worker does the chaos's jobs, of all three queues.
package main

import (
	"os"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		if err := limitMemory(os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")); err != nil {
			return nil, err
		}
		h := &handlers{effects: env.Settings.Required(work.Effects)}
		return worker.New(worker.Config{
			Jobs: env.Jobs(), Queue: env.Queue(), Addresses: env.Addresses(work.Queues()...), Logger: env.Logger,
		},
			worker.Handle(work.Pass, h.pass),
			worker.Handle(work.Flaky, h.flaky),
			worker.Handle(work.Snooze, h.snooze),
			worker.Handle(work.Walk, h.walk),
			worker.HandleResult(work.Sum, h.sum),
			worker.Handle(work.Long, h.pass),
			worker.Handle(work.Line, h.line),
			worker.Handle(work.Fatal, h.fatal),
			worker.Handle(work.Die, h.die),
			worker.Handle(work.DieTwice, h.die),
		)
	})
}
