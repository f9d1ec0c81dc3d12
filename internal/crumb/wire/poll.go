package wire

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Poll runs a process that polls a queue, until SIGTERM: make makes its worker. It
// does not return. A second signal kills. A process that lacks settings refuses to
// start and says which.
func Poll(q job.Queue, make func(env *Env) (*worker.Worker, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	env, err := Load(ctx, os.Getenv, os.Stderr)
	if err != nil {
		refuse(slog.New(slog.NewJSONHandler(os.Stderr, nil)), err)
	}
	measured := env.measure(often)
	w, err := make(env)
	config := env.polling(q)
	if missing := env.Err(); missing != nil {
		err = missing // what could not be made follows from what is missing
	}
	if err == nil {
		err = w.Poll(ctx, config)
		measured.Close()
	}
	if err != nil {
		refuse(env.Logger, err)
	}
	os.Exit(0)
}

// polling is how a queue is polled, by the settings; see worker.PollConfig.
func (e *Env) polling(q job.Queue) worker.PollConfig {
	config := worker.PollConfig{
		Receiver: e.Queue(),
		Hold:     e.Settings.Duration(settings.Hold),
		Drain:    e.Settings.Duration(settings.Drain),
		Busy:     e.Settings.Busy(),
	}
	if n := e.Settings.Count(settings.Pollers); n > 0 {
		config.Pollers = map[string]int{q.Name: n}
	}
	return config
}
