// Command pdfs is the worker that makes recipes printable.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/pdfs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		printer := pdfs.NewPrinter(env.Rows(), env.Bucket())
		return env.Worker(tasks.PDFs, worker.HandleResult(tasks.Print, printer.Print))
	})
}
