package main

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
)

const dlqDropUsage = `Usage: nightshift dlq drop [flags]

Deletes letters. The jobs stay dead, can be looked at until their time to live is
over (28 days after they died), and be redriven by nightshift dlq redrive --job.
A message that can't be read is gone for good.

It takes a filter, or --all.

Exit status: 0 for success, 1 for a failure, 2 for misuse.
` + which + where

var dlqDrop = command{name: "drop", run: runDLQDrop}

func runDLQDrop(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "dlq drop", dlqDropUsage)
	run := newDLQRun(s, flags)
	flags.BoolVar(&run.options.All, "all", false, "drop every letter")
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plainArgs) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q; a job's id goes after --job", plainArgs)
	}
	if run.filter.IsZero() && !run.options.All {
		return misuse(s, flags, "say which letters, or --all")
	}
	place, err := run.open(ctx, flags)
	if err != nil {
		return err
	}
	return run.end(run.through(ctx, place, func(t target, ctx context.Context, o deadletter.Options) (deadletter.Summary, error) {
		return t.Drop(ctx, o)
	}))
}
