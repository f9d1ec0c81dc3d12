package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

// An outcome is what a run gave.
type outcome struct {
	config config
	plan   sizing.Plan
	// offered is how many jobs were asked for in a second.
	offered float64
	// began is when the first was, ended when the last was.
	began, ended time.Time
	// stopped and resumed are when the relay was, if it was.
	stopped, resumed time.Time
	answers          []answer
	jobs             []done
	samples          []sample
	spilled          map[job.ID]bool // those that were seen to wait in the table
	left             string          // what had not ended when time was up
}

// settleFor is how long what was accepted may take to be worked off.
const settleFor = 5 * time.Minute

// run drives a stack past its drain rate, lets it work off what it accepted, and reads
// what is there.
func run(ctx context.Context, c config, say func(string, ...any)) (_ *outcome, err error) {
	task, plan, err := planOf(c.policy)
	if err != nil {
		return nil, err
	}
	o := &outcome{config: c, plan: plan, offered: c.times * float64(plan.DrainRate)}
	say("%s: %d workers finish %.0f jobs a second, %d may wait (%v); %.0f a second will be asked for, for %v", c.policy, plan.Workers, float64(plan.DrainRate), plan.Limit, plan.Queue.LongestWait, o.offered, c.lasts)
	stack, err := startStack(ctx, c, plan)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stack.close()) }()
	sampling, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { o.samples, o.spilled = watch(sampling, stack, queueNamed(c.policy)) })
	begin := func() error { return nil }
	if c.fillFirst {
		if err := stack.turn(ctx, queueNamed(c.policy), false); err != nil {
			return nil, err
		}
		begin = sync.OnceValue(func() error { return stack.turn(ctx, queueNamed(c.policy), true) })
	}

	o.began = time.Now()
	var relay error
	if c.relayStops {
		beside.Go(func() { relay = o.stopRelay(sampling, stack) })
	}
	o.answers, err = send(ctx, stack.HTTPURL()+"/jobs/"+task, o.offered, c.lasts, func(a answer) {
		if a.status == http.StatusServiceUnavailable {
			_ = begin() // told again below
		}
	})
	if err := errors.Join(err, begin()); err != nil {
		return nil, err
	}
	o.ended = time.Now()
	say("%d were accepted, %d refused; working off what is left", o.count(202), o.count(503))
	if err := stack.release(ctx, plan); err != nil {
		return nil, err
	}
	o.jobs, o.left, err = settle(ctx, stack, accepted(o.answers), settleFor)
	stop()
	beside.Wait()
	return o, errors.Join(err, relay)
}

// queueNamed is a queue's name in the template.
func queueNamed(policy string) string { return strings.ToUpper(policy[:1]) + policy[1:] + "Queue" }

func planOf(policy string) (task string, plan sizing.Plan, err error) {
	plans, err := sizing.ForTasks(work.Tasks()...)
	if err != nil {
		return "", sizing.Plan{}, err
	}
	for _, t := range work.Tasks() {
		if d := t.Definition(); d.Policy.Queue.Name == policy {
			return d.Name, plans[policy], nil
		}
	}
	return "", sizing.Plan{}, fmt.Errorf("-policy is %q: refuse, hard, degrade or spill", policy)
}

// A stack is that of template.yaml, with its log in a file.
type stack struct {
	*runner.Stack
	log *os.File
}

func startStack(ctx context.Context, c config, plan sizing.Plan) (*stack, error) {
	file, err := os.Create(filepath.Join(c.out, "log.txt"))
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	lines := func(function, line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(file, "%s %s: %s\n", time.Now().UTC().Format("15:04:05.000"), function, line)
	}
	started, err := runner.Start(ctx, runner.Config{
		Template: c.template, BuildDir: c.build, Prebuilt: c.prebuilt, Workers: plan.Workers,
		Logger:      slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelWarn})),
		FunctionLog: lines,
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &stack{started, file}, nil
}

func (s *stack) close() error { return errors.Join(s.Close(), s.log.Close()) }

func (o *outcome) count(status int) (n int) {
	for _, a := range o.answers {
		if a.status == status {
			n++
		}
	}
	return n
}

// accepted are the ids of the accepted jobs.
func accepted(answers []answer) map[job.ID]bool {
	ids := map[job.ID]bool{}
	for _, a := range answers {
		if a.id != "" {
			ids[a.id] = true
		}
	}
	return ids
}
