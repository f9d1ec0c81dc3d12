package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// errNoSuchQueue: --queue names none that is declared.
var errNoSuchQueue = errors.New("there is no such queue")

// triedOut is the name of a queue that is none yet.
const triedOut = "queue"

// A whatIf changes what a queue is declared to be, or declares one.
type whatIf struct {
	changes changes[job.Queue]
	timeout time.Duration
}

func (w *whatIf) any() bool { return len(w.changes) > 0 || w.timeout > 0 }

func (w *whatIf) add(flags *flag.FlagSet) {
	change := func(name, usage string, read func(text string) (func(*job.Queue), error)) {
		w.changes.flag(flags, name, usage, read)
	}
	change("arrivals", "what if: peak `rate` of arrivals, as 20/s, 30/m or 1000/h", func(text string) (func(*job.Queue), error) {
		r, err := parseRate(text)
		return func(q *job.Queue) { q.PeakArrivals = r }, err
	})
	change("service", "what if: mean `time` of a run, as 3s or 400ms", timeChange(0, func(q *job.Queue, d time.Duration) { q.ServiceTime = d }))
	change("wait", "what if: longest `time` that a job may wait, as 10m", timeChange(0, func(q *job.Queue, d time.Duration) { q.LongestWait = d }))
	change("utilisation", "what if: how busy workers may be at the peak, a `share` of 1 (0.7 unless said)", func(text string) (func(*job.Queue), error) {
		u, err := strconv.ParseFloat(text, 64)
		if err != nil || !(u > 0 && u <= 1) {
			return nil, errors.New("want a share above 0, at most 1, as 0.7")
		}
		return func(q *job.Queue) { q.Utilisation = u }, nil
	})
	change("batch", "what if: `number` of messages that an invocation is given", countChange(func(q *job.Queue, n int) { q.Batch = n }))
	change("bound", "what if: `number` of them that run side by side", countChange(func(q *job.Queue, n int) { q.Bound = n }))
	change("full", "what if: `what` becomes of work for the full queue: refuse, degrade, spill or replace", fullChange(func(q *job.Queue, f job.Full) { q.Full = f }))
	flags.DurationVar(&w.timeout, "timeout", 0, "what if: timeout of the slowest task; its own, or 1m")
}

// plans gives the plan of the one queue that is meant, or of all in order of their
// names.
func (f *sizeFlags) plans() ([]sizing.Plan, error) {
	if f.queue == "" && f.whatIf.any() {
		return f.tried(sizing.Plan{Queue: job.Queue{Name: triedOut}, Timeout: job.DefaultTimeout})
	}
	all, err := sizing.ForTasks(declared()...)
	if err != nil {
		return nil, err
	}
	if f.queue == "" {
		return inOrder(all), nil
	}
	plan, known := all[f.queue]
	if !known {
		return nil, fmt.Errorf("%w as %q; there are %s", errNoSuchQueue, f.queue, strings.Join(names(all), ", "))
	}
	if !f.whatIf.any() {
		return []sizing.Plan{plan}, nil
	}
	return f.tried(plan)
}

// tried plans a queue with other numbers.
func (f *sizeFlags) tried(plan sizing.Plan) ([]sizing.Plan, error) {
	f.whatIf.changes.apply(&plan.Queue)
	if f.whatIf.timeout > 0 {
		plan.Timeout = f.whatIf.timeout
	}
	changed, err := sizing.For(plan.Queue, plan.Timeout)
	if err != nil {
		return nil, err
	}
	return []sizing.Plan{changed}, nil
}
