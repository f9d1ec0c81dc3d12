// Command worker does the chaos's jobs, of all three queues: as a Lambda function
// or, where CHAOS_POLL is set, as a process that polls the queues itself.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func main() {
	if os.Getenv(work.Poll) == "" {
		wire.Start(func(env *wire.Env) (any, error) { return newWorker(env) })
	}
	if err := poll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newWorker(env *wire.Env) (*worker.Worker, error) {
	if err := limitMemory(os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")); err != nil {
		return nil, err
	}
	h := &handlers{effects: env.Settings.Required(work.Effects), begun: os.Getenv(work.Begun)}
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
}

// poll works until the process is asked to end, and drains.
func poll() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	env, err := wire.Load(ctx, os.Getenv, os.Stderr)
	if err != nil {
		return err
	}
	w, err := newWorker(env)
	if missing := env.Err(); missing != nil {
		return missing
	}
	if err != nil {
		return err
	}
	return w.Poll(ctx, worker.PollConfig{
		Receiver: env.Queue(), Hold: worker.LeastHold, Drain: time.Second,
		Pollers: map[string]int{work.Quick.Name: 2, work.Slow.Name: 1, work.Ordered.Name: 1},
	})
}
