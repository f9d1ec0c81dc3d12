package simulation_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// calm is the photo queue on a quiet evening.
func calm() simulation.Config {
	c := spike()
	c.Load.Curve = simulation.Steady(10)
	c.For = 30 * time.Minute
	c.Policy.MaxAttempts = 4
	c.Policy.Backoff = backoff.Policy{Base: time.Second, Cap: time.Minute}
	return c
}

func TestAttemptsThatFailAreTriedAgain(t *testing.T) {
	c := calm()
	c.Faults.Attempts = 0.2
	r := play(t, c)
	// An attempt more for each failure, until four have failed: 1 + p + p² + p³.
	near(t, "attempts a job", float64(r.Totals.Attempts)/float64(r.Totals.Accepted), 1+0.2+0.04+0.008, 0.01)
	near(t, "dead", float64(r.Totals.Dead), float64(r.Totals.Accepted)*0.0016, 0.6)
	if r.Totals.Dead == 0 || r.Totals.Done+r.Totals.Dead != r.Totals.Accepted {
		t.Errorf("%+v", r.Totals)
	}
}

func TestPoisonDiesAfterItsLastAttempt(t *testing.T) {
	c := calm()
	c.Faults.Poison = 0.01
	r := play(t, c)
	if r.Totals.Dead == 0 || r.Totals.Failed != 4*r.Totals.Dead {
		t.Errorf("%d are dead, of %d attempts that failed: four each", r.Totals.Dead, r.Totals.Failed)
	}
}

func TestAJobThatTakesTooLongIsCutOff(t *testing.T) {
	c := calm()
	c.Policy.MaxAttempts, c.For = 2, time.Minute
	c.Faults.Outages = []simulation.Outage{{From: 0, For: time.Hour, Kind: simulation.Slow, Factor: 100}}
	r := play(t, c)
	if r.Totals.Done != 0 || r.Totals.Dead != r.Totals.Accepted || r.Totals.Failed != 2*r.Totals.Accepted {
		t.Errorf("handlers of five minutes and a timeout of 50 seconds: %+v", r.Totals)
	}
	near(t, "worker-seconds", r.Totals.BusyTime, 50*float64(r.Totals.Attempts), 0.01)
}

// The jobs of processes that died are taken over when their leases have ended, and not
// before.
func TestAProcessThatDiesLosesNoJob(t *testing.T) {
	for _, polled := range []bool{false, true} {
		c := calm()
		c.Policy.Queue.Polled = polled
		c.Faults.Crashes = 0.01
		r := play(t, c)
		if r.Totals.Crashes == 0 || r.Totals.Done+r.Totals.Dead != r.Totals.Accepted || r.Totals.Repeated != 0 {
			t.Errorf("polled %v: %+v", polled, r.Totals)
		}
		again := r.Plan.Visibility
		if polled {
			again = worker.DefaultHold + lifecycle.LeaseMargin
		}
		if r.Totals.Ready.Most < again || r.Totals.Ready.Most > 4*again {
			t.Errorf("polled %v: the last was ready after %v, and a job comes again after %v", polled, r.Totals.Ready.Most, again)
		}
	}
}

func TestDuplicatesAreNoWorkForWorkersWithClaims(t *testing.T) {
	c := calm()
	c.Delivery.Duplicates = 0.5
	r := play(t, c)
	if r.Totals.Duplicates+r.Totals.Early == 0 || r.Totals.Attempts != r.Totals.Accepted || r.Totals.Repeated != 0 {
		t.Errorf("%+v", r.Totals)
	}
}

// A message that is visible again while its worker goes on is work for another one.
func TestAShortVisibilityTimeout(t *testing.T) {
	films := func(plain bool, visibility time.Duration, workers int) *simulation.Result {
		return play(t, simulation.Config{
			Policy: job.Policy{
				Queue:   job.Queue{Name: "films", PeakArrivals: job.PerMinute(1), ServiceTime: 2 * time.Minute, LongestWait: time.Hour, Polled: true},
				Timeout: 20 * time.Minute, MaxAttempts: 1000,
			},
			Load: simulation.Load{Curve: simulation.Steady(job.PerMinute(1)), Even: true}, For: 5 * time.Hour,
			Delivery: simulation.Delivery{Plain: plain, Visibility: visibility},
			Workers:  workers, Unbounded: true,
		})
	}
	// Begun at 0, 30, 60 and 90 seconds; through, and deleted, after 120.
	if r := films(true, 30*time.Second, 100); r.Totals.Attempts != 4*r.Totals.Accepted || r.Totals.Repeated != 3*r.Totals.Accepted {
		t.Errorf("30 s and workers in plenty: %+v", r.Totals)
	}
	if r := films(true, 121*time.Second, 100); r.Totals.Repeated != 0 || r.Totals.Attempts != r.Totals.Accepted {
		t.Errorf("a timeout above the time that it takes: %+v", r.Totals)
	}
	if r := films(false, 30*time.Second, 100); r.Totals.Repeated != 0 || r.Totals.Attempts != r.Totals.Accepted {
		t.Errorf("with heartbeats: %+v", r.Totals)
	}
}
