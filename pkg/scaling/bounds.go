package scaling

import (
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Bounds are those between which the concurrency of a queue's mapping moves. The zero
// value is of no use: see For.
type Bounds struct {
	// Plan is the queue's.
	Plan sizing.Plan
	// Least and Most bound the mapping's MaximumConcurrency, in invocations at once.
	// Where they are equal nothing moves.
	Least, Most int
}

// For gives the bounds that a queue's plan sets: its least is the plan's own
// concurrency, its most what MostWorkers allows. A MostWorkers that is less than what
// the plan needs, and that of a queue whose workers are processes of their own, is an
// error.
func For(plan sizing.Plan) (Bounds, error) {
	q := plan.Queue
	b := Bounds{Plan: plan, Least: plan.MaximumConcurrency, Most: plan.MaximumConcurrency}
	if q.MostWorkers == 0 {
		return b, nil
	}
	if q.Polled {
		return b, fmt.Errorf("scaling: queue %q: MostWorkers is %d, and processes poll it: scale their service instead", q.Name, q.MostWorkers)
	}
	if q.MostWorkers < plan.Workers {
		return b, fmt.Errorf("scaling: queue %q: MostWorkers is %d and the peak needs %d: raise it, or leave it out for a number that is fixed",
			q.Name, q.MostWorkers, plan.Workers)
	}
	b.Most = min(q.MostWorkers/q.SideBySide(), sizing.MostConcurrency)
	return b, nil
}

// Fixed tells that nothing moves: the queue does not scale.
func (b Bounds) Fixed() bool { return b.Most == b.Least }

// Workers is how many jobs run at once with a concurrency.
func (b Bounds) Workers(concurrency int) int { return concurrency * b.Plan.Queue.SideBySide() }

// concurrency is how many invocations a number of workers takes, rounded up and
// without overflow.
func (b Bounds) concurrency(workers float64) int {
	return ceil(workers / float64(b.Plan.Queue.SideBySide()))
}
