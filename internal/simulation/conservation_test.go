package simulation_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// anything draws a configuration with all that may go wrong.
func anything(t *rapid.T) simulation.Config {
	share := func(name string, most float64) float64 {
		if rapid.Bool().Draw(t, name+"?") {
			return rapid.Float64Range(0, most).Draw(t, name)
		}
		return 0
	}
	pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(t, name) }
	batch := 1 + pick("batch", 10)
	q := job.Queue{
		Name: "q", PeakArrivals: job.Rate(rapid.Float64Range(0.1, 4).Draw(t, "peak")),
		ServiceTime: time.Duration(rapid.Int64Range(int64(50*time.Millisecond), int64(5*time.Second)).Draw(t, "service")),
		LongestWait: time.Duration(rapid.Int64Range(int64(time.Minute), int64(10*time.Minute)).Draw(t, "longest")),
		Batch:       batch, Bound: 1 + pick("bound", batch), Polled: rapid.Bool().Draw(t, "polled"),
		Full: []job.Full{job.Refuse, job.Degrade, job.Spill, job.Replace}[pick("full", 4)],
	}
	c := simulation.Config{
		Policy: job.Policy{Queue: q, Timeout: 20 * time.Second, MaxAttempts: 1 + pick("attempts", 5), Backoff: backoff.Policy{Base: time.Second}},
		Load: simulation.Load{
			Curve: simulation.Spike(q.PeakArrivals/2, time.Minute, 3*time.Minute, 4*q.PeakArrivals),
			Even:  rapid.Bool().Draw(t, "even"), Keys: 10 * pick("keys", 3),
		},
		For:       6 * time.Minute,
		Unbounded: rapid.Bool().Draw(t, "unbounded"), Gates: 1 + pick("gates", 3),
		Scale: 1 + pick("scale", 3), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	if c.Scale > 1 {
		c.Workers = 60
	}
	c.Service.Distribution = []simulation.Distribution{simulation.Constant, simulation.Exponential, simulation.LogNormal}[pick("distribution", 3)]
	c.Clients.Behaviour = []simulation.Behaviour{simulation.Obey, simulation.Ignore, simulation.GiveUp}[pick("clients", 3)]
	c.Faults = simulation.Faults{Attempts: share("failing", 0.5), Poison: share("poison", 0.2), Crashes: share("crashes", 0.1)}
	c.Faults.Outages = []simulation.Outage{{
		From: 2 * time.Minute, For: time.Minute,
		Kind: []simulation.OutageKind{simulation.Stopped, simulation.Failing, simulation.Slow}[pick("outage", 3)], Factor: 3,
	}}
	c.Clients.Every = 10 * time.Second
	c.Delivery.Duplicates = share("duplicates", 0.3)
	c.Delivery.Plain = q.Polled && rapid.Bool().Draw(t, "plain")
	if rapid.Bool().Draw(t, "cut") {
		c.Until = time.Duration(rapid.Int64Range(1, int64(8*time.Minute)).Draw(t, "until"))
	}
	if rapid.Bool().Draw(t, "table") {
		c.Table.Writes = 3 * q.PeakArrivals
	}
	return c
}

// No job is lost or made up, whatever goes wrong.
func TestConservation(t *testing.T) {
	ended := 0
	rapid.Check(t, func(r *rapid.T) {
		c := anything(r)
		result, err := simulation.Run(t.Context(), c)
		if err != nil {
			r.Skip(err)
		}
		n := result.Totals
		if n.Arrived != n.Accepted+n.GaveUp+n.Away {
			r.Errorf("%d had work: %d accepted, %d given up, %d on their way back", n.Arrived, n.Accepted, n.GaveUp, n.Away)
		}
		if n.Asked != n.Accepted+n.Refused {
			r.Errorf("%d asked: %d accepted, %d refused", n.Asked, n.Accepted, n.Refused)
		}
		if n.Accepted+n.Rests != n.Replaced+n.Done+n.Dead+n.Unfinished {
			r.Errorf("%d accepted and %d rests: %d replaced, %d done, %d dead, %d unfinished", n.Accepted, n.Rests, n.Replaced, n.Done, n.Dead, n.Unfinished)
		}
		if c.Until == 0 && n.Unfinished == 0 {
			ended++
		}
		alongTheWay(r, result)
	})
	if ended < 10 {
		t.Errorf("only %d runs came to their end", ended)
	}
}

// alongTheWay checks that a run's course adds up to its totals.
func alongTheWay(t *rapid.T, r *simulation.Result) {
	var sum simulation.Point
	from := time.Duration(0)
	for _, p := range r.Points {
		if p.At-p.For != from {
			t.Errorf("an interval of %v ends at %v, and the one before at %v", p.For, p.At, from)
		}
		from = p.At
		sum.Arrived += p.Arrived
		sum.Asked += p.Asked
		sum.Accepted += p.Accepted
		sum.Refused += p.Refused
		sum.Attempts += p.Attempts
		sum.Done += p.Done
		sum.InProgress += p.InProgress * p.For.Seconds()
		if p.Depth > r.Totals.PeakDepth || p.Age > r.Totals.PeakAge || p.InProgress > float64(p.Workers)*1.000001 {
			t.Errorf("at %v: %+v, beyond the peaks of %+v", p.At, p, r.Totals)
		}
	}
	n := r.Totals
	if from != r.Lasted || sum.Arrived != n.Arrived || sum.Asked != n.Asked || sum.Accepted != n.Accepted || sum.Refused != n.Refused || sum.Attempts != n.Attempts || sum.Done != n.Done {
		t.Errorf("the course up to %v of %v has %+v, the totals %+v", from, r.Lasted, sum, n)
	}
	if diff := sum.InProgress - n.BusyTime; diff > 1e-3*(1+n.BusyTime) || diff < -1e-3*(1+n.BusyTime) {
		t.Errorf("%v worker-seconds on the way, %v in all", sum.InProgress, n.BusyTime)
	}
}

func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := anything(r)
		first, err := simulation.Run(t.Context(), c)
		if err != nil {
			r.Skip(err)
		}
		if second := play(t, c); !reflect.DeepEqual(first, second) {
			r.Errorf("two runs of one configuration:\n%+v\n%+v", first.Totals, second.Totals)
		}
	})
}
