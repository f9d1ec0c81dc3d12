// Command noop is the worker of the benchmarks' queue.
package main

import (
	"context"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
	"github.com/nightshift-go/nightshift/scripts/bench/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		return worker.New(worker.Config{
			Jobs:      env.Jobs(),
			Queue:     env.Queue(),
			Addresses: env.Addresses(work.Bench),
			Objects:   env.Objects(),
			Logger:    env.Logger,
		},
			worker.Handle(work.Noop, nothing),
			worker.Handle(work.Unique, nothing),
			worker.HandleResult(work.Large, func(_ context.Context, j *job.Job[work.Arguments]) (work.Arguments, error) { return j.Args, nil }),
			worker.Handle(work.Failing, func(context.Context, *job.Job[work.Arguments]) error { return work.ErrFails }),
			worker.Handle(work.Retrying, func(_ context.Context, j *job.Job[work.Arguments]) error {
				if j.Attempt == 1 {
					return work.ErrFails
				}
				return nil
			}),
		)
	})
}

func nothing(context.Context, *job.Job[work.Arguments]) error { return nil }
