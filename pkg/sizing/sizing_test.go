package sizing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func photos() job.Queue {
	return job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
}

// The numbers of a photo site's queue, worked out by hand.
func TestPhotoQueue(t *testing.T) {
	p, err := sizing.For(photos(), 50*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := sizing.Plan{
		Queue: photos(), Timeout: 50 * time.Second,
		InProgress: 60, LeastWorkers: 86, Workers: 90, MostWorkers: 90, MaximumConcurrency: 90, MostConcurrency: 90,
		Utilisation: 60.0 / 90, DrainRate: 30, Limit: 18_000, Mark: 17_100, RetryLeast: 30 * time.Second, RetryMost: 45 * time.Second,
		Rounds: 1, FunctionTimeout: time.Minute, Visibility: 6 * time.Minute,
		AgeAlarm: 10 * time.Minute, UtilisationAlarm: 0.9, RefusalsAlarm: 12,
	}
	if p != want {
		t.Errorf("For = %+v\nwant  %+v", p, want)
	}
}

func TestSpike(t *testing.T) {
	if got := sizing.Backlog(100, 30, 10*time.Minute); got != 42_000 {
		t.Errorf("backlog %d, want 42,000", got)
	}
	if got := sizing.Wait(42_000, 30); got != 1400*time.Second {
		t.Errorf("wait %v, want 1,400 s", got)
	}
	if got := sizing.TimeToClear(42_000, 20, 30); got != 4200*time.Second {
		t.Errorf("time to clear %v, want 4,200 s", got)
	}
	if got := sizing.TimeToFill(18_000, 100, 30).Round(time.Second); got != 257*time.Second {
		t.Errorf("time to fill %v, want 257 s", got)
	}
	if got := sizing.Storage(42_000, 1000); got != 42_000_000 {
		t.Errorf("storage %d, want 42 MB", got)
	}
}

func TestRecipeImports(t *testing.T) {
	if got := sizing.InProgress(50, 400*time.Millisecond); got != 20 {
		t.Errorf("in progress %v, want 20", got)
	}
	least := sizing.LeastWorkers(50, 400*time.Millisecond, 0.7)
	if least != 29 || sizing.RoundWorkers(least, 0) != 30 {
		t.Errorf("workers %d → %d, want 29 → 30", least, sizing.RoundWorkers(least, 0))
	}
	if got := sizing.Wait(90_000, 100); got != 15*time.Minute {
		t.Errorf("wait %v, want 15 min", got)
	}
	if got := sizing.Limit(100, 5*time.Minute); got != 30_000 {
		t.Errorf("limit %d, want 30,000", got)
	}
}

func TestNever(t *testing.T) {
	if got := sizing.TimeToClear(10, 30, 30); got != math.MaxInt64 {
		t.Errorf("a queue that gets as much as it drains clears in %v", got)
	}
	if got := sizing.TimeToFill(10, 20, 30); got != math.MaxInt64 {
		t.Errorf("a queue that drains faster than it gets fills in %v", got)
	}
	if got := sizing.Backlog(10, 30, time.Hour); got != 0 {
		t.Errorf("backlog %d without overload", got)
	}
}

func TestContradictions(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*job.Queue)
		timeout time.Duration
	}{
		{"more workers than a mapping has", func(q *job.Queue) { q.PeakArrivals = 1000 }, 50 * time.Second},
		{"a batch longer than a function lives", func(q *job.Queue) { q.Batch, q.Bound = 10, 1 }, 2 * time.Minute},
		{"a wait shorter than a job", func(q *job.Queue) { q.LongestWait = time.Millisecond }, 50 * time.Second},
		{"a job longer than its timeout", func(q *job.Queue) {}, time.Second},
		{"a load beyond all numbers", func(q *job.Queue) { q.PeakArrivals = 1e300 }, 50 * time.Second},
		{"an undeclared load", func(q *job.Queue) { q.PeakArrivals = 0 }, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := photos()
			tt.change(&q)
			if p, err := sizing.For(q, tt.timeout); err == nil {
				t.Errorf("For accepted it: %+v", p)
			}
		})
	}
}

func TestBatchesShareAFunction(t *testing.T) {
	q := photos()
	q.Batch, q.Bound = 10, 5
	p, err := sizing.For(q, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if p.MaximumConcurrency != 18 || p.Workers != 90 || p.FunctionTimeout != 70*time.Second {
		t.Errorf("For = %+v", p)
	}
}

// Whatever is declared, a plan that is not refused keeps what it promises; and more
// arrivals never take fewer workers.
func FuzzPlan(f *testing.F) {
	f.Add(20.0, int64(3e9), int64(600e9), 0.7, 1, 1, 0, 0, uint8(0))
	f.Add(20.0, int64(3e9), int64(600e9), 0.7, 10, 5, 7, 200, uint8(1))
	f.Add(1.0, int64(2e9), int64(60e9), 0.9, 1, 1, 1, 0, uint8(2+16))
	f.Fuzz(func(t *testing.T, arrivals float64, service, wait int64, utilisation float64, batch, bound, rounding, most int, kind uint8) {
		q := job.Queue{
			Name: "q", PeakArrivals: job.Rate(arrivals), ServiceTime: time.Duration(service), LongestWait: time.Duration(wait), Utilisation: utilisation,
			Batch: batch, Bound: bound, Rounding: rounding, MostWorkers: most,
			Full: []job.Full{job.Refuse, job.Degrade, job.Spill, job.Replace}[kind%4], FIFO: kind&4 > 0, Hard: kind&8 > 0, Polled: kind&16 > 0,
		}
		p, err := sizing.For(q, time.Minute)
		if err != nil {
			return
		}
		if p.Workers < p.LeastWorkers || p.MostWorkers < p.Workers || p.Limit < 1 || p.Visibility < sizing.VisibilityFactor*p.FunctionTimeout || !(p.Utilisation <= 1) {
			t.Errorf("%+v gives %+v", q, p)
		}
		if p.Mark >= p.Limit || p.DegradeAt > p.Limit || p.DegradeAt > 0 && p.DegradeMark >= p.DegradeAt || p.RetryLeast < time.Second || p.RetryMost < p.RetryLeast {
			t.Errorf("%+v gives %+v", q, p)
		}
		if wait := sizing.Wait(p.Limit, p.DrainRate); wait > q.LongestWait+time.Millisecond {
			t.Errorf("the last job admitted waits %v, more than %v", wait, q.LongestWait)
		}
		if wait := p.Waiting().Percentile(sizing.WaitShare); wait > q.LongestWait {
			t.Errorf("by chance alone a job waits %v, more than %v", wait, q.LongestWait)
		}
		if err := p.CheckTimeouts(0, 0, 0); err != nil {
			t.Errorf("the plan's own timeouts: %v", err)
		}
		for _, figure := range p.Explain() {
			if !(figure.Value >= 0) || figure.With == "" {
				t.Errorf("%+v gives %+v", q, figure)
			}
		}
		for _, demand := range p.Scale(sizing.Extremes{}) {
			if !(demand.Need >= 0) || demand.Ask != (demand.Need > demand.Quota.Value) {
				t.Errorf("%+v needs %+v", q, demand)
			}
		}
		q.PeakArrivals *= 1.5
		if more, err := sizing.For(q, time.Minute); err == nil && (more.Workers < p.Workers || more.Limit < p.Limit) {
			t.Errorf("half as much again takes %d workers instead of %d, a limit of %d instead of %d", more.Workers, p.Workers, more.Limit, p.Limit)
		}
	})
}

// 3,600 jobs an hour of 2 s each: evenly, and all of them within five minutes. Who
// sizes by the mean has a backlog in the second case, and can read how long it lasts.
func TestSizingByThePeakAndNotTheMean(t *testing.T) {
	q := job.Queue{Name: "digest", PeakArrivals: job.PerMinute(60), ServiceTime: 2 * time.Second, LongestWait: time.Minute}
	even := planned(t, q, time.Minute)
	if even.InProgress != 2 || even.Workers != 3 {
		t.Errorf("evenly: %+v", even)
	}
	q.PeakArrivals = job.PerSecond(12)
	if burst := planned(t, q, time.Minute); burst.InProgress != 24 || burst.Workers != 40 || burst.Waiting().Percentile(sizing.WaitShare) > time.Minute {
		t.Errorf("in a burst: %+v", burst)
	}
	o := even.Under(sizing.Spike{Arrivals: 12, For: 5 * time.Minute})
	if o.Unbounded.Backlog != 3150 || o.Unbounded.Wait != 35*time.Minute {
		t.Errorf("sized by the mean: %+v", o.Unbounded)
	}
}

func ExampleFor() {
	plan, err := sizing.For(job.Queue{
		Name:         "photos",
		PeakArrivals: job.PerSecond(20),
		ServiceTime:  3 * time.Second,
		LongestWait:  10 * time.Minute,
	}, 50*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d workers finish %.0f jobs a second; at most %d may wait\n", plan.Workers, float64(plan.DrainRate), plan.Limit)
	// Output: 90 workers finish 30 jobs a second; at most 18000 may wait
}
