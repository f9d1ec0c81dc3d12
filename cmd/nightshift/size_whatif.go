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
	changes []func(*job.Queue)
	timeout time.Duration
}

func (w *whatIf) any() bool { return len(w.changes) > 0 || w.timeout > 0 }

func (w *whatIf) add(flags *flag.FlagSet) {
	change := func(name, usage string, read func(text string) (func(*job.Queue), error)) {
		flags.Func(name, usage, func(text string) error {
			c, err := read(text)
			if err == nil {
				w.changes = append(w.changes, c)
			}
			return err
		})
	}
	change("arrivals", "what if: peak `rate` of arrivals, as 20/s, 30/m or 1000/h", func(text string) (func(*job.Queue), error) {
		r, err := parseRate(text)
		return func(q *job.Queue) { q.PeakArrivals = r }, err
	})
	change("service", "what if: mean `time` of a run, as 3s or 400ms", durationChange(func(q *job.Queue, d time.Duration) { q.ServiceTime = d }))
	change("wait", "what if: longest `time` that a job may wait, as 10m", durationChange(func(q *job.Queue, d time.Duration) { q.LongestWait = d }))
	change("utilisation", "what if: how busy workers may be at the peak, a `share` of 1 (0.7 unless said)", func(text string) (func(*job.Queue), error) {
		u, err := strconv.ParseFloat(text, 64)
		if err != nil || !(u > 0 && u <= 1) {
			return nil, errors.New("want a share above 0, at most 1, as 0.7")
		}
		return func(q *job.Queue) { q.Utilisation = u }, nil
	})
	change("batch", "what if: `number` of messages that an invocation is given", countChange(func(q *job.Queue, n int) { q.Batch = n }))
	change("bound", "what if: `number` of them that run side by side", countChange(func(q *job.Queue, n int) { q.Bound = n }))
	change("full", "what if: `what` becomes of work for the full queue: refuse, degrade, spill or replace", func(text string) (func(*job.Queue), error) {
		full, known := map[string]job.Full{"refuse": job.Refuse, "degrade": job.Degrade, "spill": job.Spill, "replace": job.Replace}[text]
		if !known {
			return nil, errors.New("want refuse, degrade, spill or replace")
		}
		return func(q *job.Queue) { q.Full = full }, nil
	})
	flags.DurationVar(&w.timeout, "timeout", 0, "what if: timeout of the slowest task; its own, or 1m")
}

func durationChange(set func(*job.Queue, time.Duration)) func(string) (func(*job.Queue), error) {
	return func(text string) (func(*job.Queue), error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return nil, errors.New("want a time above zero, as 3s, 400ms or 10m")
		}
		return func(q *job.Queue) { set(q, d) }, nil
	}
}

func countChange(set func(*job.Queue, int)) func(string) (func(*job.Queue), error) {
	return func(text string) (func(*job.Queue), error) {
		var n int
		if err := countFlag(&n)(text); err != nil || n == 0 {
			return nil, errors.New("want a whole number, 1 or more")
		}
		return func(q *job.Queue) { set(q, n) }, nil
	}
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
	for _, change := range f.whatIf.changes {
		change(&plan.Queue)
	}
	if f.whatIf.timeout > 0 {
		plan.Timeout = f.whatIf.timeout
	}
	changed, err := sizing.For(plan.Queue, plan.Timeout)
	if err != nil {
		return nil, err
	}
	return []sizing.Plan{changed}, nil
}
