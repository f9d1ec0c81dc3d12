// Command exports is the worker that collects what Crumb has of a reader.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		links, err := exports.NewLinks([]byte(env.Settings.Required(settings.Secret)))
		if err != nil {
			return nil, err
		}
		exporter, err := exports.NewExporter(exports.ExporterConfig{
			Rows:    env.Rows(),
			Objects: env.Bucket(),
			Outbox:  env.Outbox(),
			Links:   links,
			Now:     env.Now,
		})
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Exports, worker.HandleResult(tasks.Export, exporter.Export))
	})
}
