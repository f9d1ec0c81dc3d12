package scenariofile

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// config makes a run's configuration of what the file says.
func (r own) config(open Opener) (simulation.Config, error) {
	curve, traced, err := r.curve(open)
	c := simulation.Config{
		Name: r.Name, Policy: r.policy(), Workers: r.Workers, Unbounded: r.Unbounded, Gates: r.Gates,
		Load: simulation.Load{Curve: curve, Even: r.Load.Even, Keys: r.Load.Keys},
		For:  time.Duration(r.For), Until: time.Duration(r.Until),
		Service: simulation.Service{
			Distribution: word(r.Common.Service.Distribution, "constant", simulation.Constant), Mean: time.Duration(r.Service.Mean),
			Spread: r.Service.Spread, Degraded: r.Service.Degraded,
		},
		Faults: simulation.Faults{
			Attempts: r.Faults.Attempts, Poison: r.Faults.Poison, Crashes: r.Faults.Crashes,
			FailAfter: time.Duration(r.Faults.FailAfter), Dependency: job.Rate(r.Faults.Dependency),
		},
		Clients: simulation.Clients{
			Behaviour: word(r.Clients.Behaviour, "obey", simulation.Obey), Every: time.Duration(r.Clients.Every), Number: r.Clients.Number,
			Retry: client.RetryPolicy{Attempts: r.Clients.Attempts, LongestWait: time.Duration(r.Clients.LongestWait)},
		},
		Delivery: simulation.Delivery{
			Relay: time.Duration(r.Delivery.Relay), RelayRate: job.Rate(r.Delivery.RelayRate), Duplicates: r.Delivery.Duplicates,
			Visibility: time.Duration(r.Delivery.Visibility), Plain: r.Delivery.Plain, ColdStart: time.Duration(r.Delivery.ColdStart),
			Queues: r.Delivery.Queues, Room: r.Delivery.Room, RemovingNeedsRoom: r.Delivery.RemovingNeedsRoom,
		},
		Table: simulation.Table{Writes: job.Rate(r.Table.Writes)},
		Scale: r.Scale, Seed: r.Seed,
	}
	if c.For == 0 {
		c.For = traced
	}
	for _, v := range r.Service.Values {
		c.Service.Values = append(c.Service.Values, time.Duration(v))
	}
	for _, o := range r.Faults.Outages {
		c.Faults.Outages = append(c.Faults.Outages, simulation.Outage{
			From: time.Duration(o.From), For: time.Duration(o.For), Kind: simulation.OutageKind(o.Kind), Factor: o.Factor,
		})
	}
	return c, err
}

// within reports what the run would leave out, because it is over or clients have no
// more work.
func (r own) within(c simulation.Config) error {
	var problems []error
	for i, s := range r.Load.Spikes {
		if end := s.From + s.For; end > duration(c.For) {
			problems = append(problems, fmt.Errorf("load: spike %d is from %v to %v, and clients have work for %v (for)", i+1, time.Duration(s.From), time.Duration(end), c.For))
		}
	}
	if c.Until > 0 && c.Until < c.For {
		problems = append(problems, fmt.Errorf("until: the run ends at %v, and clients have work for %v (for)", c.Until, c.For))
	}
	for i, o := range c.Faults.Outages {
		if o.Factor != 0 && o.Kind != simulation.Slow {
			problems = append(problems, fmt.Errorf("faults.outages: number %d has a factor, which is of slow ones, and is %q", i+1, o.Kind))
		}
	}
	return errors.Join(problems...)
}

// word gives a word of the file as a value, whose zero value has a word as well.
func word[T ~string](text, zero string, of T) T {
	if text == zero {
		return of
	}
	return T(text)
}

func (r own) policy() job.Policy {
	q, b := r.Queue, r.Task.Backoff
	p := job.Policy{
		Queue: job.Queue{
			Name: q.Name, PeakArrivals: job.Rate(q.PeakArrivals), ServiceTime: time.Duration(q.ServiceTime), LongestWait: time.Duration(q.LongestWait),
			Utilisation: q.Utilisation, Batch: q.Batch, Bound: q.Bound, Polled: q.Polled, Rounding: q.Rounding,
			Full: word(q.Full, "refuse", job.Refuse), SpillLimit: q.SpillLimit, MostWorkers: q.MostWorkers,
		},
		MaxAttempts: r.Task.MaxAttempts, Timeout: time.Duration(r.Task.Timeout), ShedAt: r.Task.ShedAt,
		Backoff: backoff.Policy{Base: time.Duration(b.Base), Factor: b.Factor, Floor: time.Duration(b.Floor), Cap: time.Duration(b.Cap)},
	}
	if p.Queue.Name == "" {
		p.Queue.Name = "queue"
	}
	if b.NoJitter {
		p.Backoff.Wait = p.Backoff.Longest
	}
	return p
}

// curve gives the arrivals, and how long the trace lasts that they are from.
func (r own) curve(open Opener) (simulation.Curve, time.Duration, error) {
	var curve simulation.Curve
	var lasts time.Duration
	l := r.Load
	ways := 0
	for _, given := range []bool{l.Rate > 0, l.Daily != nil, l.Trace != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return curve, 0, errors.New("load: say rate, daily or trace, and not several")
	case l.Daily != nil:
		curve = simulation.Daily(job.Rate(l.Daily.Least), job.Rate(l.Daily.Most), time.Duration(l.Daily.PeakAt))
	case l.Trace != "":
		var err error
		if curve, lasts, err = trace(l.Trace, open); err != nil {
			return curve, 0, err
		}
	default:
		curve = simulation.Steady(job.Rate(l.Rate))
	}
	for i, s := range l.Spikes {
		if s.For <= 0 || s.From < 0 || s.From > duration(simulation.Longest) || s.For > duration(simulation.Longest) {
			return curve, 0, fmt.Errorf("load: spike %d: from %v for %v", i+1, time.Duration(s.From), time.Duration(s.For))
		}
		curve = curve.With(time.Duration(s.From), time.Duration(s.For), job.Rate(s.Rate))
	}
	return curve, lasts, nil
}

func trace(name string, open Opener) (simulation.Curve, time.Duration, error) {
	file, err := open(name)
	if err != nil {
		return simulation.Curve{}, 0, fmt.Errorf("load: trace: %w", err)
	}
	curve, lasts, err := simulation.ReadTrace(file)
	return curve, lasts, errors.Join(err, file.Close())
}
