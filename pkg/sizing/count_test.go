package sizing_test

import (
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func TestCountShards(t *testing.T) {
	for _, c := range []struct {
		arrivals    job.Rate
		limit, want int
	}{
		{20, 18_000, 4},
		{0.01, 15, 1},
		{20, 25, 2}, // ten places each, at least
		{1, 5, 1},   // one shard refuses nobody while there is room
		{1000, 1_000_000, 200},
		{1e9, math.MaxInt32, sizing.MostShards},
		{job.Rate(math.Inf(1)), math.MaxInt32, sizing.MostShards},
	} {
		if got := sizing.CountShards(c.arrivals, c.limit); got != c.want {
			t.Errorf("%v a second and %d places: %d shards, want %d", c.arrivals, c.limit, got, c.want)
		}
	}
}

func TestRelease(t *testing.T) {
	if got := sizing.ReleaseRate(30, 20); got != 10 {
		t.Errorf("%v a second", got)
	}
	if got := sizing.ReleaseRate(30, 29); got != 3 {
		t.Errorf("%v a second; a tenth of what is drained at least", got)
	}
	photos := job.Queue{Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, Full: job.Spill}
	plan, err := sizing.For(photos, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Room(17_000); got != 100 {
		t.Errorf("room for %d below the mark of 17,100", got)
	}
	if got := plan.Room(18_000); got != 0 {
		t.Errorf("room for %d in a full queue", got)
	}
	plan.Queue.Full = job.Degrade
	if got := plan.Room(8_000); got != 550 {
		t.Errorf("room for %d below the 8,550 at which jobs are whole again", got)
	}
}

// However few a queue takes: what is spilled comes out when nothing waits.
func TestAnEmptyQueueHasRoom(t *testing.T) {
	for limit := 1; limit <= 4; limit++ {
		for _, full := range []job.Full{job.Refuse, job.Degrade, job.Spill, job.Replace} {
			plan := sizing.Plan{Queue: job.Queue{Full: full}, Limit: limit}
			if got := plan.Room(0); got < 1 || got > limit {
				t.Errorf("limit %d, %q: room for %d", limit, full, got)
			}
			if got := plan.Room(limit); got != 0 {
				t.Errorf("limit %d, %q, full: room for %d", limit, full, got)
			}
		}
	}
}
