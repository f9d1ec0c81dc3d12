package scaling

import "github.com/nightshift-go/nightshift/pkg/sizing"

// Bounds are those between which the concurrency of a queue's mapping moves: see For.
type Bounds struct {
	// Plan is the queue's.
	Plan sizing.Plan
	// Least and Most bound the mapping's MaximumConcurrency, in invocations at once.
	// Where they are equal nothing moves.
	Least, Most int
}

// For gives the bounds that a queue's plan sets: its least is what the peak needs, its
// most what job.Queue.MostWorkers allows.
func For(plan sizing.Plan) Bounds {
	return Bounds{Plan: plan, Least: plan.MaximumConcurrency, Most: plan.MostConcurrency}
}

// Fixed tells that nothing moves: the queue does not scale.
func (b Bounds) Fixed() bool { return b.Most <= b.Least }

// Workers is how many jobs run at once with a concurrency.
func (b Bounds) Workers(concurrency int) int { return concurrency * b.Plan.Queue.SideBySide() }

// concurrency is how many invocations a number of workers takes, rounded up and
// without overflow.
func (b Bounds) concurrency(workers float64) int {
	return ceil(workers / float64(b.Plan.Queue.SideBySide()))
}
