package sizing_test

import (
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Whatever they are given, formulas give a number that can be: not negative, without
// overflow; and more load never makes it less.
func FuzzFormulas(f *testing.F) {
	f.Add(20.0, 30.0, int64(3*time.Second), int64(10*time.Minute), 18_000, int64(1000), 0.7, 90)
	f.Add(math.Inf(1), math.NaN(), int64(math.MaxInt64), int64(math.MinInt64), math.MaxInt, int64(math.MaxInt64), 0.0, math.MinInt)
	f.Add(1e300, 5e-324, int64(1), int64(math.MaxInt64), -5, int64(-5), math.NaN(), 0)
	f.Fuzz(func(t *testing.T, a, d float64, service, longest int64, depth int, bytes int64, share float64, workers int) {
		arrivals, drain := job.Rate(a), job.Rate(d)
		numbers := map[string]int64{
			"least workers":  int64(sizing.LeastWorkers(arrivals, time.Duration(service), share)),
			"limit":          int64(sizing.Limit(drain, time.Duration(longest))),
			"backlog":        int64(sizing.Backlog(arrivals, drain, time.Duration(longest))),
			"wait":           int64(sizing.Wait(depth, drain)),
			"time to clear":  int64(sizing.TimeToClear(depth, arrivals, drain)),
			"time to fill":   int64(sizing.TimeToFill(depth, arrivals, drain)),
			"storage":        sizing.Storage(depth, bytes),
			"spill limit":    int64(sizing.DefaultSpillLimit(drain)),
			"in flight":      int64(sizing.InFlight(workers, 10, arrivals, time.Duration(service))),
			"shards":         int64(sizing.Shards(a, d)) - 1,
			"ramp":           int64(sizing.RampTime(workers, sizing.DefaultQuotas())),
			"warm":           int64(sizing.WarmTime(a, d)),
			"retry":          int64(sizing.RetryAfter(depth, workers, drain, share) - sizing.LeastRetryAfter),
			"retry left":     int64(sizing.MostRetryAfter - sizing.RetryAfter(depth, workers, drain, share)),
			"workers rising": int64(sizing.RoundWorkers(max(workers, 0), int(bytes%1000)) - min(max(workers, 0), math.MaxInt32)),
		}
		for what, n := range numbers {
			if n < 0 {
				t.Errorf("%s: %d for %v, %v, %v, %v, %d, %d, %v, %d", what, n, a, d, time.Duration(service), time.Duration(longest), depth, bytes, share, workers)
			}
		}
		if a > 0 && d > 0 && depth >= 0 && depth < math.MaxInt32 {
			rising(t, "backlog", sizing.Backlog(arrivals, drain, time.Hour), sizing.Backlog(arrivals*2, drain, time.Hour))
			rising(t, "wait", sizing.Wait(depth, drain), sizing.Wait(depth+1, drain))
			rising(t, "time to clear", sizing.TimeToClear(depth, arrivals, drain), sizing.TimeToClear(depth+1, arrivals, drain))
			rising(t, "time to fill", sizing.TimeToFill(depth, arrivals*2, drain), sizing.TimeToFill(depth, arrivals, drain))
			rising(t, "limit", sizing.Limit(drain, time.Minute), sizing.Limit(drain, time.Hour))
			rising(t, "retry", sizing.RetryAfter(depth, 0, drain, 0), sizing.RetryAfter(depth, 0, drain, 1))
		}
	})
}

func rising[T int | time.Duration](t *testing.T, what string, less, more T) {
	t.Helper()
	if less > more {
		t.Errorf("%s falls from %v to %v", what, less, more)
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct{ workers, step, want int }{
		{0, 0, 0}, {1, 0, 1}, {10, 0, 10}, {11, 0, 20}, {86, 0, 90}, {90, 0, 90},
		{86, 1, 86}, {86, 25, 100}, {4, 5, 5}, {4, 10, 10}, {math.MaxInt32, 0, math.MaxInt32},
	} {
		if got := sizing.RoundWorkers(c.workers, c.step); got != c.want {
			t.Errorf("%d by %d: %d, want %d", c.workers, c.step, got, c.want)
		}
	}
}

func TestStorage(t *testing.T) {
	for _, c := range []struct {
		backlog int
		message int64
		want    string
	}{
		{42_000, 1000, "42 MB"}, {42_000, 5_000_000, "210 GB"}, {math.MaxInt32, math.MaxInt64, "9.22 EB"}, {-1, 5, "0 bytes"},
	} {
		if got := sizing.Size(sizing.Storage(c.backlog, c.message)); got != c.want {
			t.Errorf("%d of %d bytes: %s, want %s", c.backlog, c.message, got, c.want)
		}
	}
}

func TestMarksOfAFullQueue(t *testing.T) {
	for _, c := range []struct{ limit, mark, degrade int }{{18_000, 17_100, 9000}, {100, 95, 50}, {20, 19, 10}, {2, 1, 1}, {1, 0, 1}} {
		if sizing.Mark(c.limit) != c.mark || sizing.DegradeAt(c.limit) != c.degrade {
			t.Errorf("limit %d: mark %d, degraded from %d", c.limit, sizing.Mark(c.limit), sizing.DegradeAt(c.limit))
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		depth, mark int
		drain       job.Rate
		random      float64
		want        time.Duration
	}{
		{18_000, 17_100, 30, 0, 30 * time.Second},
		{18_000, 17_100, 30, 0.5, 38 * time.Second}, // 37.5, rounded up
		{100, 100, 30, 0, time.Second},
		{10, 100, 30, 0, time.Second},
		{100, 100, 30, 0.4, 2 * time.Second}, // not all the same, however short
		{100, 100, 30, 0.6, 3 * time.Second},
		{1_000_000, 0, 1, 0, 400 * time.Second}, // the longest are spread as well
		{1_000_000, 0, 1, 0.5, 500 * time.Second},
		{1_000_000, 0, 0, 1, 10 * time.Minute},
	} {
		if got := sizing.RetryAfter(c.depth, c.mark, c.drain, c.random); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Hidden and running messages together stay under SQS's 120,000, or take more queues.
func TestMessagesInFlight(t *testing.T) {
	if got := sizing.InFlight(1000, 10, 100, 10*time.Minute); got != 70_000 {
		t.Errorf("1,000 batches of 10 and 100 retries a second for 10 min: %d", got)
	}
	if got := sizing.Shards(300_000, 120_000); got != 3 {
		t.Errorf("300,000 in flight take %d queues", got)
	}
	if got := sizing.RampTime(1000, sizing.DefaultQuotas()); got != 199*time.Second {
		t.Errorf("a mapping has a thousand batches at once after %v", got)
	}
	if got := sizing.WarmTime(99_000, 4000); got != 150*time.Minute {
		t.Errorf("a new table bears 99,000 writes a second after %v, five doublings", got)
	}
}
