package wire

import (
	"context"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Handlers gives all of what a subscriber hears to one handler.
func Handlers(hears tasks.Hearing, follow func(context.Context, *job.Job[tasks.RecipeChange]) error) []worker.Handler {
	handlers := make([]worker.Handler, len(hears))
	for i, s := range hears {
		handlers[i] = worker.On(s, follow)
	}
	return handlers
}
