package simulation_test

import (
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func photos() job.Policy {
	return job.Policy{
		Queue:   job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute},
		Timeout: 50 * time.Second,
	}
}

// spike is a photo site's evening: 20 uploads a second, and 100 for ten minutes.
func spike() simulation.Config {
	return simulation.Config{
		Policy: photos(), Seed: 1,
		Load: simulation.Load{Curve: simulation.Spike(20, 10*time.Minute, 10*time.Minute, 100)},
		For:  3 * time.Hour,
	}
}

const spikeEnds = 20 * time.Minute

func play(t testing.TB, c simulation.Config) *simulation.Result {
	t.Helper()
	r, err := simulation.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// near fails where got is further from want than a share of it.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*want {
		t.Errorf("%s: %.4g, and not %.4g to %.1f %%", what, got, want, 100*within)
	}
}

// Arithmetic says: a backlog of (100 − 30) × 600 s, a wait of that ÷ 30, and that ÷
// (30 − 20) until it is gone.
func TestASpikeWithoutABound(t *testing.T) {
	for _, even := range []bool{false, true} {
		c := spike()
		c.Unbounded, c.Load.Even = true, even
		r := play(t, c)
		near(t, "backlog", float64(r.Totals.PeakDepth), 42_000, 0.02)
		near(t, "longest wait, in seconds", r.Totals.Wait.Most.Seconds(), 1400, 0.02)
		near(t, "time to clear, in seconds", (r.Totals.Cleared - spikeEnds).Seconds(), 4200, 0.02)
		if r.Totals.Refused != 0 || r.Totals.Done != r.Totals.Arrived {
			t.Errorf("even %v: %+v", even, r.Totals)
		}
	}
}

func TestASpikeWithTheBound(t *testing.T) {
	for _, behaviour := range []simulation.Behaviour{simulation.Obey, simulation.Ignore, simulation.GiveUp} {
		c := spike()
		c.Clients.Behaviour, c.Clients.Every = behaviour, 10*time.Second
		r := play(t, c)
		if r.Totals.Ready.Most > 10*time.Minute {
			t.Errorf("clients who %q: an accepted photo was ready after %v", behaviour, r.Totals.Ready.Most)
		}
		if r.Plan.Limit != 18_000 || r.Totals.PeakDepth > r.Plan.Limit {
			t.Errorf("clients who %q: %d waited, with a limit of %d", behaviour, r.Totals.PeakDepth, r.Plan.Limit)
		}
		if r.Totals.Refused == 0 {
			t.Errorf("clients who %q: nobody was refused", behaviour)
		}
		near(t, "time to fill, in seconds", (refusedFrom(r) - 10*time.Minute).Seconds(), 257, 0.03)
		busyWhileThereIsWork(t, r)
	}
}

// refusedFrom is when the first request was refused.
func refusedFrom(r *simulation.Result) time.Duration {
	for _, p := range r.Points {
		if p.Refused > 0 {
			return p.At - p.For/2
		}
	}
	return 0
}

// busyWhileThereIsWork fails where workers were idle beside a backlog, save for the
// minute in which Lambda adds pollers.
func busyWhileThereIsWork(t *testing.T, r *simulation.Result) {
	t.Helper()
	looked := 0
	for _, p := range r.Points {
		if p.Depth > 1000 && p.At > 11*time.Minute && p.For > 0 {
			looked++
			if p.InProgress < float64(p.Workers)-1e-6 {
				t.Errorf("at %v: %.2f of %d workers were busy, and %d jobs waited", p.At, p.InProgress, p.Workers, p.Depth)
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d intervals had a backlog", looked)
	}
}

// After an hour without workers it takes twice the capacity to be through within
// another hour.
func TestAnOutageOfAnHour(t *testing.T) {
	for workers, clears := range map[int]time.Duration{90: 2 * time.Hour, 120: time.Hour} {
		c := spike()
		c.Workers, c.Unbounded = workers, true
		c.Load.Curve = simulation.Steady(20)
		c.For = 6 * time.Hour
		c.Faults.Outages = []simulation.Outage{{From: time.Hour, For: time.Hour, Kind: simulation.Stopped}}
		r := play(t, c)
		near(t, "backlog", float64(r.Totals.PeakDepth), 72_000, 0.02)
		near(t, "time to clear, in seconds", (r.Totals.Cleared - 2*time.Hour).Seconds(), clears.Seconds(), 0.03)
	}
}
