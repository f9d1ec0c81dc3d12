// Command imports is the worker that brings recipes in by the file.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/imports"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		importer, err := imports.New(imports.Config{
			Rows:     env.Rows(),
			Objects:  env.Bucket(),
			Producer: env.Producer(),
			Now:      env.Now,
		})
		if err != nil {
			return nil, err
		}
		return env.Worker(tasks.Imports,
			worker.Handle(tasks.SplitImport, importer.Split),
			worker.Handle(tasks.ImportRecipe, importer.Keep),
			worker.Handle(tasks.FinishImport, importer.Finish))
	})
}
