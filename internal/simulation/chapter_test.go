package simulation_test

import (
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

func chef() simulation.Config {
	return simulation.Config{
		Policy: photos(), Seed: 1,
		Load: simulation.Load{Curve: simulation.Spike(20, 10*time.Minute, 10*time.Minute, 100)},
		For:  3 * time.Hour,
	}
}

func play(t testing.TB, c simulation.Config) *simulation.Result {
	t.Helper()
	r, err := simulation.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTry(t *testing.T) {
	c := chef()
	c.Unbounded = true
	began := time.Now()
	r := play(t, c)
	t.Logf("%v %+v", time.Since(began), r.Totals)
	r = play(t, chef())
	t.Logf("%+v", r.Totals)
	c = chef()
	c.Clients.Behaviour = simulation.GiveUp
	r = play(t, c)
	t.Logf("%+v", r.Totals)
	t.Logf("%+v", r.Points[100])
}
