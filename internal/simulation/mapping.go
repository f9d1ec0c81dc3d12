package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// How Lambda polls a standard queue: five batches at first, up to 300 more each
// minute while there is more, and back to five when there is less. How fast it goes
// back is not documented; here it keeps, for a minute, what the busiest moment of the
// last one had.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
const (
	leastPollers  = 5
	pollersMinute = 300
	pollStep      = time.Second
)

// idleEnvironment is how long an execution environment is kept warm that nobody
// needs. AWS doesn't say; minutes are seen.
const idleEnvironment = 10 * time.Minute

// A pool is a queue's workers: a mapping's invocations, or the pollers of processes.
// Where a job stands for many (Config.Scale), each worker is one for itself, since few
// batches would be too coarse: each tells how many simulated invocations a real one is.
type pool struct {
	polled       bool
	batch, bound int
	each         float64
	most         int     // invocations at once
	least        float64 // pollers that Lambda begins with
	step         float64 // pollers that it adds in a pollStep
	// pollers are how many batches Lambda would have in hand.
	pollers float64
	growing bool // a step is planned
	busy    int  // invocations
	busiest int  // of them, in this minute
	running int  // handlers
	warm    []time.Duration
	state   scaling.State
}

func newPool(c Config, plan sizing.Plan) pool {
	p := pool{polled: plan.Queue.Polled, batch: plan.Queue.BatchSize(), bound: plan.Queue.SideBySide(), each: 1}
	if c.Scale > 1 {
		p.each = float64(p.bound) / float64(c.Scale)
		p.batch, p.bound = 1, 1
	}
	p.least, p.step = leastPollers*p.each, pollersMinute*p.each*pollStep.Minutes()
	p.set(plan.MaximumConcurrency)
	p.pollers = p.least
	return p
}

// set sets how many invocations of the mapping there may be at once.
func (p *pool) set(most int) { p.most = max(int(float64(most)*p.each), 1) }

// allowed is how many invocations there may be now.
func (p *pool) allowed() int {
	if p.polled {
		return p.most
	}
	return min(max(int(p.pollers), 1), p.most)
}

// workers is how many jobs there may be in hand at once.
func (p *pool) workers() int { return p.most * p.bound }

// idle is how many workers have nothing to do.
func (p *pool) idle() int { return max(p.most-p.busy, 0) * p.bound }

// mayGrow tells whether Lambda adds pollers next.
func (p *pool) mayGrow() bool {
	return !p.polled && !p.growing && p.pollers < float64(p.most) && p.busy >= p.allowed()
}

// poll adds pollers.
func (w *world) poll() {
	w.pool.growing = false
	w.pool.pollers = min(w.pool.pollers+w.pool.step, float64(w.pool.most))
}

// shrink gives back, each minute, the pollers that were not needed in the last one.
func (p *pool) shrink() {
	p.pollers = max(min(p.pollers, float64(p.busiest)), p.least)
	p.busiest = p.busy
}

// enter begins an invocation, and tells whether its environment has to be made first.
// Processes that poll are there.
func (p *pool) enter(now time.Duration) (cold bool) {
	p.busy++
	p.busiest = max(p.busiest, p.busy)
	if p.polled {
		return false
	}
	last := len(p.warm) - 1
	if last < 0 || now-p.warm[last] > idleEnvironment {
		p.warm = p.warm[:0] // the others have been idle for longer
		return true
	}
	p.warm = p.warm[:last]
	return false
}

// leave ends an invocation; its environment stays.
func (p *pool) leave(now time.Duration) {
	p.busy--
	if !p.polled {
		p.warm = append(p.warm, now)
	}
}

// dies ends an invocation with its environment.
func (p *pool) dies() { p.busy-- }

// scale asks, each minute, how many workers there shall be, where the queue lets them
// be more than the plan's.
func (w *world) scale() {
	bounds := scaling.For(w.plan)
	if bounds.Fixed() {
		return
	}
	scale := w.config.Scale
	step := bounds.Next(w.pool.state, scaling.Observation{
		At: w.clock(), Age: w.age(), Depth: w.counts.visible * scale, Busy: w.counts.inFlight() * scale * w.pool.bound / w.pool.batch,
	})
	if before := w.pool.state.Concurrency; before != 0 && before != step.State.Concurrency {
		w.totals.turn(step.State.Concurrency - before)
	}
	w.pool.state = step.State
	w.pool.set(step.State.Concurrency)
}
