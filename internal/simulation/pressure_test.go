package simulation_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestSpillLosesAndRefusesNothing(t *testing.T) {
	c := spike()
	c.Policy.Queue.Full = job.Spill
	r := play(t, c)
	if r.Totals.Refused != 0 || r.Totals.Done != r.Totals.Arrived || r.Totals.Spilled == 0 {
		t.Errorf("%+v", r.Totals)
	}
	if r.Totals.PeakDepth > r.Plan.Limit {
		t.Errorf("%d waited in the queue, with a limit of %d", r.Totals.PeakDepth, r.Plan.Limit)
	}
	near(t, "time to clear, in seconds", (r.Totals.Cleared - spikeEnds).Seconds(), 4200, 0.03)
}

func TestASpillHasALimit(t *testing.T) {
	c := spike()
	c.Policy.Queue.Full, c.Policy.Queue.SpillLimit = job.Spill, 5000
	c.Clients.Behaviour = simulation.GiveUp
	r := play(t, c)
	if r.Totals.PeakSpilled != 5000 || r.Totals.Refused == 0 {
		t.Errorf("%d were spilled at most, and %d refused", r.Totals.PeakSpilled, r.Totals.Refused)
	}
}

func TestDegradingDrainsFaster(t *testing.T) {
	c := spike()
	c.Policy.Queue.Full = job.Degrade
	c.Clients.Behaviour = simulation.GiveUp
	degraded := play(t, c)
	c.Policy.Queue.Full = job.Refuse
	refused := play(t, c)
	if degraded.Totals.Degraded == 0 || degraded.Totals.Rests != degraded.Totals.Degraded {
		t.Errorf("%d were degraded, and left %d rests", degraded.Totals.Degraded, degraded.Totals.Rests)
	}
	if degraded.Totals.Accepted <= refused.Totals.Accepted || degraded.Totals.PeakAge >= refused.Totals.PeakAge {
		t.Errorf("degrading accepted %d, refusing %d; the oldest waited %v and %v",
			degraded.Totals.Accepted, refused.Totals.Accepted, degraded.Totals.PeakAge, refused.Totals.PeakAge)
	}
}

func TestANewerJobTakesTheOldOnesPlace(t *testing.T) {
	c := spike()
	c.Policy.Queue.Full = job.Replace
	c.Load.Keys = 5000
	c.Clients.Behaviour = simulation.GiveUp
	r := play(t, c)
	if r.Totals.Replaced == 0 || r.Totals.PeakDepth > 5000 || r.Totals.Refused != 0 {
		t.Errorf("%+v", r.Totals)
	}
}

// Who comes back when he is told to is refused less often than who comes back at once.
func TestObedienceSavesRequests(t *testing.T) {
	asked := map[simulation.Behaviour]int{}
	for _, behaviour := range []simulation.Behaviour{simulation.Obey, simulation.Ignore, simulation.GiveUp} {
		c := spike()
		c.Clients.Behaviour, c.Clients.Every = behaviour, 10*time.Second
		asked[behaviour] = play(t, c).Totals.Asked
	}
	if !(asked[simulation.GiveUp] < asked[simulation.Obey] && asked[simulation.Obey] < asked[simulation.Ignore]/5) {
		t.Errorf("requests: %v", asked)
	}
}

// Gates know nothing of one another until they look again: A × (R + L) is the formula.
func TestSeveralGatesOvershootAsTheFormulaSays(t *testing.T) {
	c := spike()
	c.Gates = 50
	c.Clients.Behaviour = simulation.GiveUp
	c.Policy.Queue.LongestWait = 20 * time.Second // so that the age does not close them first
	r := play(t, c)
	overshoot := r.Totals.PeakDepth + r.Plan.Workers - r.Plan.Limit
	most := 100 * (time.Second + simulation.DefaultRelay).Seconds()
	if float64(overshoot) > most*1.2 {
		t.Errorf("%d above the limit of %d: the formula says %.0f", overshoot, r.Plan.Limit, most)
	}
}

func TestABrokerThatNeedsRoomToRemoveIsStuck(t *testing.T) {
	c := spike()
	c.Unbounded = true
	c.Delivery.Room = 10_000
	c.Clients.Behaviour = simulation.GiveUp
	c.Until = c.For
	free := play(t, c)
	c.Delivery.RemovingNeedsRoom = true
	stuck := play(t, c)
	last := stuck.Points[len(stuck.Points)-1]
	if last.Done != 0 || last.Depth < 9_900 || stuck.Totals.Cleared != 0 {
		t.Errorf("hours after it was full: %+v", last)
	}
	if free.Totals.Cleared == 0 || free.Totals.Unfinished > 100 {
		t.Errorf("where removing needs no room: %+v", free.Totals)
	}
}

func TestATableLearnsToBearMore(t *testing.T) {
	c := spike()
	c.Load.Curve = simulation.Steady(40)
	c.Workers, c.Unbounded = 200, true
	c.For = 2 * time.Hour
	c.Table.Writes = 30 // a quarter of 40 × 3
	c.Clients.Behaviour = simulation.GiveUp
	r := play(t, c)
	accepted := map[time.Duration]float64{}
	for _, p := range r.Points {
		accepted[p.At.Truncate(30*time.Minute)] += float64(p.Accepted) / (30 * time.Minute).Seconds()
	}
	near(t, "accepted a second in the first half hour", accepted[0], 10, 0.1)
	near(t, "in the second", accepted[30*time.Minute], 20, 0.1)
	near(t, "in the third", accepted[time.Hour], 40, 0.1)
	if r.Totals.Reasons["throttled"] != r.Totals.Refused {
		t.Errorf("refused because of %v", r.Totals.Reasons)
	}
}

// The rule of package scaling, on a day with two spikes: it raises for each, lowers
// after each, and does not go to and fro between.
func TestScalingOnAgeDoesNotHunt(t *testing.T) {
	for _, noise := range []float64{0, 0.5} {
		c := spike()
		c.Policy.Queue.MostWorkers = 300
		c.Load.Curve = simulation.Daily(5, 25, 20*time.Hour).With(20*time.Hour, time.Hour, 50).With(9*time.Hour, 10*time.Minute, 100)
		c.For, c.Scale = 24*time.Hour, 3
		if noise > 0 {
			c.Service.Distribution, c.Service.Spread = simulation.LogNormal, noise
		}
		r := play(t, c)
		if r.Totals.Changes == 0 || r.Totals.Turns > 5 {
			t.Errorf("the number of workers changed %d times, %d times the other way", r.Totals.Changes, r.Totals.Turns)
		}
		if r.Totals.Wait.Most > c.Policy.Queue.LongestWait {
			t.Errorf("a job waited %v", r.Totals.Wait.Most)
		}
		fixed := c
		fixed.Policy.Queue.MostWorkers = 0
		if before := play(t, fixed); before.Totals.PeakAge <= r.Totals.PeakAge || before.Totals.Refused <= r.Totals.Refused {
			t.Errorf("with a fixed number the oldest waits %v, and with scaling %v; %d and %d are refused", before.Totals.PeakAge, r.Totals.PeakAge, before.Totals.Refused, r.Totals.Refused)
		}
	}
}

// Averages stay what they are where a job stands for many.
func TestScaleLeavesAveragesAsTheyAre(t *testing.T) {
	c := spike()
	c.Policy.Queue.PeakArrivals = 2000
	c.Policy.Queue.Batch = 10
	c.Load.Curve = simulation.Spike(2000, 10*time.Minute, 10*time.Minute, 10_000)
	c.Unbounded, c.Until, c.Scale = true, c.For, 100
	r := play(t, c)
	drain := float64(r.Plan.DrainRate)
	near(t, "backlog", float64(r.Totals.PeakDepth), (10_000-drain)*600, 0.03)
	near(t, "longest wait, in seconds", r.Totals.Wait.Most.Seconds(), (10_000-drain)*600/drain, 0.05)
	near(t, "utilisation after it all", r.Points[len(r.Points)-2].InProgress/float64(r.Plan.Workers), 2000*3/float64(r.Plan.Workers), 0.15)
}
