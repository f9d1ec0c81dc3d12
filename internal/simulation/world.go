package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// epoch is the point in time at which runs begin: a midnight.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A world is all there is of one run. It belongs to one goroutine.
type world struct {
	config Config
	plan   sizing.Plan
	local  sizing.Plan // the plan divided by the scale
	now    time.Duration
	events heap
	chance chance

	gates    []*admission.Gate
	clients  []*client.Budget
	requests slab[request]
	// away counts the requests whose clients are going to be back.
	away int

	jobs     slab[row]
	messages slab[message]
	// serial numbers messages, receipts and tokens.
	serial      int32
	invocations slab[invocation]
	// visible are the messages that a worker can take; some are gone meanwhile.
	visible  ring
	counts   counts
	pool     pool
	table    table
	relay    relay
	spill    spill
	keys     keys
	behind   bucket // what is behind the workers
	service  func() time.Duration
	jam      time.Duration // until when workers get nothing off a full broker
	stopped  int           // outages of the kind Stopped that go on
	unended  int           // jobs that have not ended
	arriving bool

	series series
	totals Totals
	waits  histogram
	readys histogram
}

// counts are those of the messages of the queue.
type counts struct {
	visible int // a worker can take them
	hidden  int // they wait for their time, as a retry does
	held    int // a worker has them
}

// chance are the generators of a run, one for each thing that is left to chance, so
// that a change in one leaves the others as they are.
type chance struct {
	arrivals, service, faults, clients, gates, backoff *rand.Rand
}

func newChance(seed uint64) chance {
	of := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	return chance{of(1), of(2), of(3), of(4), of(5), of(6)}
}

func newWorld(c Config) (*world, error) {
	c, plan, err := c.resolved()
	if err != nil {
		return nil, err
	}
	w := &world{config: c, plan: plan, chance: newChance(c.Seed), arriving: true, series: newSeries()}
	scale := float64(c.Scale)
	w.config.Load.Curve = c.Load.Curve.scaled(scale)
	w.service = c.Service.sampler(w.chance.service)
	w.local = plan
	w.local.Limit, w.local.DrainRate = w.scaled(plan.Limit), plan.DrainRate/job.Rate(scale)
	w.local.Queue.PeakArrivals /= job.Rate(scale)
	w.keys = make(keys, c.Load.Keys)
	w.pool = newPool(c, plan)
	w.table = newTable(c.Table, scale)
	w.relay = relay{rate: float64(c.Delivery.RelayRate) / scale}
	w.behind = newBucket(float64(c.Faults.Dependency) / scale)
	for range c.Clients.Number {
		w.clients = append(w.clients, c.Clients.Retry.NewBudget(w.clock))
	}
	if c.Unbounded {
		return w, nil
	}
	for range c.Gates {
		g, err := w.newGate()
		if err != nil {
			return nil, fmt.Errorf("simulation: %w", err)
		}
		w.gates = append(w.gates, g)
	}
	return w, nil
}

// clock is the time for code that asks for one.
func (w *world) clock() time.Time { return epoch.Add(w.now) }

// scaled divides a number by the scale, and leaves at least one.
func (w *world) scaled(n int) int { return max(n/w.config.Scale, 1) }

// Run plays a configuration through. ctx ends it early, with the cause as error.
func Run(ctx context.Context, c Config) (*Result, error) {
	w, err := newWorld(c)
	if err != nil {
		return nil, err
	}
	w.begin()
	for steps := 0; !w.events.empty() && !w.over(); steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("simulation: %s: at %v: %w", c.Name, w.now, context.Cause(ctx))
		}
		e := w.events.pop()
		if end := w.end(); e.at > end {
			w.pass(end)
			break
		}
		w.pass(e.at)
		w.happens(ctx, e)
	}
	return w.result(), nil
}

func (w *world) begin() {
	w.events.push(0, samples, 0, 0)
	w.events.push(time.Minute, ticks, 0, 0)
	for _, o := range w.config.Faults.Outages {
		if o.Kind == Stopped {
			w.events.push(o.From, wakes, 1, 0)
			w.events.push(o.From+o.For, wakes, -1, 0)
		}
	}
	w.nextArrival()
}

// end is when the run ends at the latest.
func (w *world) end() time.Duration {
	if w.config.Until > 0 {
		return w.config.Until
	}
	return w.config.For + DefaultTail
}

// over tells whether nothing can happen any more that anybody asks about.
func (w *world) over() bool {
	return w.config.Until == 0 && !w.arriving && w.unended == 0 && w.away == 0 && w.pool.busy == 0
}

func (w *world) happens(ctx context.Context, e event) {
	switch e.kind {
	case arrives:
		w.arrive(ctx)
	case returns:
		w.ask(ctx, e.a)
	case reaches:
		w.appear(e.a)
	case appears:
		w.reappear(e.a, e.b)
	case due:
		w.comeDue(e.a)
	case ends:
		w.runEnds(e.a, e.b)
	case crashes:
		w.crash(e.a)
	case polls:
		w.poll()
	case wakes:
		w.stopped += int(e.a)
	case ticks:
		w.tick()
	case samples:
		w.sample()
	}
	w.dispatch()
}

// pass lets the time pass until at, and counts what it is spent on.
func (w *world) pass(at time.Duration) {
	seconds := (at - w.now).Seconds()
	w.now = at
	w.totals.BusyTime += seconds * float64(w.pool.running)
	w.totals.WorkerTime += seconds * float64(w.pool.workers())
	w.series.point.running += seconds * float64(w.pool.running)
	if w.counts.visible > 0 && w.stopped == 0 {
		w.totals.IdleTime += seconds * float64(w.pool.idle())
	}
}

// tick is what happens each minute.
func (w *world) tick() {
	w.pool.shrink()
	w.scale()
	w.release()
	w.table.tick(w.now)
	w.events.push(w.now+time.Minute, ticks, 0, 0)
}
