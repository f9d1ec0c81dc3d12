package simulation

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("simulation: "+format, args...))
	}
	if err := c.Load.Curve.validate(); err != nil {
		bad("%w", err)
	} else if jobs := c.Load.Curve.jobs(min(c.For, Longest)) / float64(max(c.Scale, 1)); jobs > mostJobs {
		bad("%.0f jobs are to be simulated, and %.0f may be: let each stand for %.0f (Scale), or shorten For (%v)", jobs, float64(mostJobs), math.Ceil(jobs/mostJobs)*float64(max(c.Scale, 1)), c.For)
	}
	if c.For <= 0 || c.For > Longest {
		bad("For is %v: say how long clients have work, up to %v", c.For, Longest)
	}
	if c.Until < 0 || c.Until > Longest {
		bad("Until is %v: between 0 and %v", c.Until, Longest)
	}
	for _, n := range []struct {
		name     string
		is, most int
	}{
		{"Workers", c.Workers, mostOf}, {"Gates", c.Gates, mostGates}, {"Scale", c.Scale, mostOf}, {"Clients.Number", c.Clients.Number, mostKeys},
		{"Delivery.Queues", c.Delivery.Queues, mostKeys}, {"Delivery.Room", c.Delivery.Room, mostOf}, {"Load.Keys", c.Load.Keys, mostKeys},
	} {
		if n.is < 0 || n.is > n.most {
			bad("%s is %d: between 0 and %d", n.name, n.is, n.most)
		}
	}
	if c.Policy.Queue.FIFO {
		bad("queue %q is FIFO: the order of groups is not simulated", c.Policy.Queue.Name)
	}
	if most := max(plan.Workers/leastWorkers, 1); c.Scale > most {
		bad("Scale is %d, and there are %d workers: at most %d, so that %d are left to simulate", c.Scale, plan.Workers, most, leastWorkers)
	}
	if v := c.Delivery.Visibility; v > 0 && !c.Delivery.Plain && !c.Policy.Queue.Polled && v < plan.FunctionTimeout {
		bad("Visibility is %v, and the function may run for %v: AWS refuses such a mapping", v, plan.FunctionTimeout)
	}
	problems = append(problems, c.Service.validate(), c.Faults.validate(), c.Clients.validate(), c.Delivery.validate(), c.Table.validate())
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

func (s Service) validate() error {
	var problems []error
	switch s.Distribution {
	case Constant, Exponential, LogNormal:
	case Empirical:
		if len(s.Values) == 0 || slices.Min(s.Values) < 0 {
			problems = append(problems, errors.New("simulation: empirical service times: give some, none of them negative"))
		}
	default:
		problems = append(problems, fmt.Errorf("simulation: service times are %q: use constant, exponential, lognormal or empirical", s.Distribution))
	}
	if s.Mean < 0 || !(s.Spread >= 0) || math.IsInf(s.Spread, 0) {
		problems = append(problems, fmt.Errorf("simulation: service times of mean %v and spread %v: both are positive", s.Mean, s.Spread))
	}
	return errors.Join(append(problems, share("Service.Degraded", s.Degraded))...)
}

func (f Faults) validate() error {
	problems := []error{share("Faults.Attempts", f.Attempts), share("Faults.Poison", f.Poison), share("Faults.Crashes", f.Crashes)}
	if f.FailAfter < 0 || !(f.Dependency >= 0) {
		problems = append(problems, fmt.Errorf("simulation: FailAfter is %v and Dependency %v a second: both are positive", f.FailAfter, float64(f.Dependency)))
	}
	for i, o := range f.Outages {
		if o.From < 0 || o.For <= 0 || o.From > Longest || o.For > Longest {
			problems = append(problems, fmt.Errorf("simulation: outage %d: from %v for %v", i+1, o.From, o.For))
		}
		switch {
		case o.Kind == Slow && !(o.Factor > 0 && o.Factor < 1e6):
			problems = append(problems, fmt.Errorf("simulation: outage %d: Factor is %v: say how much longer handlers take", i+1, o.Factor))
		case o.Kind != Slow && o.Kind != Stopped && o.Kind != Failing:
			problems = append(problems, fmt.Errorf("simulation: outage %d is %q: use stopped, failing or slow", i+1, o.Kind))
		}
	}
	return errors.Join(problems...)
}

func (c Clients) validate() error {
	problems := []error{c.Retry.Validate()}
	if c.Every < 0 {
		problems = append(problems, fmt.Errorf("simulation: Clients.Every is %v: it is positive", c.Every))
	}
	switch c.Behaviour {
	case Obey, Ignore, GiveUp:
	default:
		problems = append(problems, fmt.Errorf("simulation: clients are to %q: use obey, ignore or give up", c.Behaviour))
	}
	return errors.Join(problems...)
}

func (d Delivery) validate() error {
	problems := []error{share("Delivery.Duplicates", d.Duplicates)}
	if d.Visibility < 0 || !(d.RelayRate >= 0) {
		problems = append(problems, fmt.Errorf("simulation: Visibility is %v and RelayRate %v a second: both are positive", d.Visibility, float64(d.RelayRate)))
	}
	return errors.Join(problems...)
}

func (t Table) validate() error {
	if !(t.Writes >= 0) || t.PerJob.Enqueue < 0 || t.PerJob.Claim < 0 || t.PerJob.Complete < 0 {
		return fmt.Errorf("simulation: the table's writes are negative: %+v", t)
	}
	return nil
}

func share(name string, of float64) error {
	if of >= 0 && of <= 1 {
		return nil
	}
	return fmt.Errorf("simulation: %s is %v: it is a share, between 0 and 1", name, of)
}
