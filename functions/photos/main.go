// Command photos is the worker of Crumb's photo queue.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		photos := resizer.New(env.Bucket(), env.Rows(), env.Producer())
		return worker.New(worker.Config{
			Jobs:      env.Jobs(),
			Queue:     env.Queue(),
			Addresses: env.Addresses(tasks.Photos),
			Objects:   env.Objects(),
			Gauge:     env.Gauge(),
			Metrics:   env.Metrics,
			Logger:    env.Logger,
			Now:       env.Now,
		}, worker.HandleResult(tasks.Resize, photos.Resize), worker.HandleResult(tasks.CompletePhoto, photos.Complete))
	})
}
