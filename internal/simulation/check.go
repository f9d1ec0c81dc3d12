package simulation

import (
	"errors"
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Longest bounds what a Config may ask for: a run of years would show nothing that a
// month does not.
const Longest = 366 * 24 * time.Hour

// leastWorkers are those that a scaled run has at least: fewer would be too coarse.
const leastWorkers = 20

// mostJobs bounds the simulated jobs of a run: minutes of work.
const mostJobs = 100e6

// Bounds of what is kept in memory, and of numbers that are reckoned with.
const (
	mostGates = 1 << 12
	mostKeys  = 1 << 20
	mostOf    = 1 << 30
)

// Check reports every setting that makes no sense.
func (c Config) Check() error {
	_, _, err := c.resolved()
	return err
}

// resolved gives the configuration with its defaults, and the plan of its queue.
func (c Config) resolved() (Config, sizing.Plan, error) {
	c.Policy = c.Policy.WithDefaults()
	var plan sizing.Plan
	err := c.Policy.Validate()
	if err == nil {
		plan, err = sizing.For(c.Policy.Queue, c.Policy.Timeout)
	}
	if c.Workers > 0 {
		plan = staffed(plan, c.Workers)
	}
	problems := []error{err}
	bad := func(setting, format string, args ...any) {
		problems = append(problems, wrong(setting, format, args...))
	}
	longest := sizing.Period(Longest)
	if err := c.Load.Curve.validate(); err != nil {
		bad("load", "%w", err)
	} else if jobs := c.Load.Curve.jobs(min(c.For, Longest)) / float64(max(c.Scale, 1)); jobs > mostJobs {
		bad("scale", "%s jobs would be simulated, and %s may be: let each stand for %s, or play a shorter time", sizing.Number(jobs), sizing.Number(mostJobs), sizing.Number(math.Ceil(jobs/mostJobs)*float64(max(c.Scale, 1))))
	}
	if c.For <= 0 || c.For > Longest {
		bad("for", "it is %s: say how long clients have work, up to %s", sizing.Period(c.For), longest)
	}
	if c.Until < 0 || c.Until > Longest {
		bad("until", "it is %s: between 0 and %s", sizing.Period(c.Until), longest)
	}
	for _, n := range []struct {
		name     string
		is, most int
	}{
		{"workers", c.Workers, mostOf}, {"gates", c.Gates, mostGates}, {"scale", c.Scale, mostOf}, {"clients.number", c.Clients.Number, mostKeys},
		{"delivery.queues", c.Delivery.Queues, mostKeys}, {"delivery.room", c.Delivery.Room, mostOf}, {"load.keys", c.Load.Keys, mostKeys},
	} {
		if n.is < 0 || n.is > n.most {
			bad(n.name, "it is %d: between 0 and %d", n.is, n.most)
		}
	}
	if c.Policy.Queue.FIFO {
		bad("queue", "%q is FIFO: the order of groups is not simulated", c.Policy.Queue.Name)
	}
	if most := max(plan.Workers/leastWorkers, 1); c.Scale > most {
		bad("scale", "it is %d, and there are %d workers: at most %d, so that %d are left to simulate", c.Scale, plan.Workers, most, leastWorkers)
	}
	if v := c.Delivery.Visibility; v > 0 && !c.Delivery.Plain && !c.Policy.Queue.Polled && v < plan.FunctionTimeout {
		bad("delivery.visibility", "it is %v, and the function may run for %v: AWS refuses such a mapping", v, plan.FunctionTimeout)
	}
	problems = append(problems, c.Service.validate(), c.Faults.validate(), c.happening(), c.Clients.validate(), c.Delivery.validate(), c.Table.validate())
	return c.withDefaults(plan), plan, errors.Join(problems...)
}

// staffed gives the plan with another number of workers.
func staffed(p sizing.Plan, workers int) sizing.Plan {
	q := p.Queue
	p.MaximumConcurrency = max(workers/q.SideBySide(), 1)
	p.Workers = p.MaximumConcurrency * q.SideBySide()
	if q.MostWorkers == 0 {
		p.MostConcurrency, p.MostWorkers = p.MaximumConcurrency, p.Workers
	}
	p.DrainRate = sizing.DrainRate(p.Workers, q.ServiceTime)
	p.Limit = sizing.Limit(p.DrainRate, q.LongestWait)
	p.Mark = sizing.Mark(p.Limit)
	return p
}

func (c Config) withDefaults(plan sizing.Plan) Config {
	orInt := func(n *int, standard int) {
		if *n == 0 {
			*n = standard
		}
	}
	orTime := func(d *time.Duration, standard time.Duration) {
		if *d == 0 {
			*d = standard
		}
		*d = max(*d, 0)
	}
	orInt(&c.Gates, 1)
	orInt(&c.Scale, 1)
	orInt(&c.Clients.Number, DefaultClients)
	orInt(&c.Delivery.Queues, 1)
	orInt(&c.Table.PerJob.Enqueue, 1)
	orInt(&c.Table.PerJob.Claim, 1)
	orInt(&c.Table.PerJob.Complete, 1)
	orTime(&c.Clients.Every, DefaultEvery)
	orTime(&c.Delivery.Relay, DefaultRelay)
	orTime(&c.Delivery.ColdStart, DefaultColdStart)
	orTime(&c.Service.Mean, c.Policy.Queue.ServiceTime)
	orTime(&c.Delivery.Visibility, plan.Visibility)
	orTime(&c.Delivery.Visibility, worker.DefaultHold)
	if c.Service.Spread == 0 {
		c.Service.Spread = 0.5
	}
	if c.Service.Degraded == 0 {
		c.Service.Degraded = 0.5
	}
	return c
}
