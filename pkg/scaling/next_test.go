package scaling_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

var noon = time.Unix(1_800_000_000, 0)

func TestNext(t *testing.T) {
	long := noon.Add(-scaling.Patience)
	for _, c := range []struct {
		name  string
		state scaling.State
		seen  scaling.Observation
		want  int
		why   scaling.Reason
	}{
		{"nothing waits", scaling.State{}, scaling.Observation{}, 90, scaling.Fits},
		{"a wait of 26 seconds", scaling.State{Concurrency: 90}, scaling.Observation{Depth: 780}, 90, scaling.Fits},
		{"a wait of a minute and a half: 27 more for 2,700 jobs in 5 minutes", scaling.State{Concurrency: 90}, scaling.Observation{Depth: 2700}, 117, scaling.Raised},
		{"the same, late: in 2.5 minutes", scaling.State{Concurrency: 90}, scaling.Observation{Depth: 2700, Age: 10 * time.Minute}, 144, scaling.Raised},
		{"already so", scaling.State{Concurrency: 117}, scaling.Observation{Depth: 2700}, 117, scaling.Fits},
		{"as many as may be", scaling.State{Concurrency: 117}, scaling.Observation{Depth: 1e6}, 400, scaling.Raised},
		{"no more than that", scaling.State{Concurrency: 400}, scaling.Observation{Depth: 1e6}, 400, scaling.AtMost},
		{"arrivals beyond the peak", scaling.State{Concurrency: 90}, scaling.Observation{Arrivals: 40}, 172, scaling.Raised},
		{"what arrived while the oldest waited", scaling.State{Concurrency: 90}, scaling.Observation{Arrivals: 20, Age: 5 * time.Minute, Depth: 1}, 150, scaling.Raised},
		{"slower than declared", scaling.State{Concurrency: 90}, scaling.Observation{Depth: 900, ServiceTime: 9 * time.Second}, 117, scaling.Raised},
		{"less is needed: since now", scaling.State{Concurrency: 200}, scaling.Observation{}, 200, scaling.Patient},
		{"less is needed: not for long", scaling.State{Concurrency: 200, LowSince: long.Add(time.Second)}, scaling.Observation{}, 200, scaling.Patient},
		{"less is needed: for long", scaling.State{Concurrency: 200, LowSince: long}, scaling.Observation{}, 150, scaling.Lowered},
		{"the last step", scaling.State{Concurrency: 95, LowSince: long}, scaling.Observation{}, 90, scaling.Lowered},
		{"the workers are busy", scaling.State{Concurrency: 200, LowSince: long}, scaling.Observation{Busy: 130}, 200, scaling.Fits},
		{"half of them are", scaling.State{Concurrency: 200, LowSince: long}, scaling.Observation{Busy: 100}, 150, scaling.Lowered},
		{"the oldest is old, whatever the count says", scaling.State{Concurrency: 200, LowSince: long}, scaling.Observation{Age: 3 * time.Minute}, 200, scaling.Fits},
		{"the bounds have changed", scaling.State{Concurrency: 900}, scaling.Observation{Depth: 31_000}, 400, scaling.Bounded},
		{"a clock that ran back", scaling.State{Concurrency: 200, LowSince: noon.Add(time.Hour)}, scaling.Observation{}, 200, scaling.Patient},
	} {
		c.seen.At = noon
		step := bounds(t, nil).Next(c.state, c.seen)
		if step.State.Concurrency != c.want || step.Reason != c.why {
			t.Errorf("%s: %d (%s, need %d), want %d (%s)", c.name, step.State.Concurrency, step.Reason, step.Need, c.want, c.why)
		}
	}
}

func TestOffByDefault(t *testing.T) {
	b := bounds(t, func(q *job.Queue) { q.MostWorkers = 0 })
	step := b.Next(scaling.State{}, scaling.Observation{At: noon, Depth: 1e6, Age: time.Hour, Arrivals: 1e6})
	if !b.Fixed() || step.State.Concurrency != 90 || step.Reason != scaling.Off {
		t.Errorf("%+v", step)
	}
}

// One reading that says otherwise starts the wait for a lowering anew.
func TestALoweringNeedsPatience(t *testing.T) {
	b, state, at := bounds(t, nil), scaling.State{Concurrency: 300}, noon
	look := func(o scaling.Observation) scaling.Reason {
		o.At, at = at, at.Add(scaling.Interval)
		step := b.Next(state, o)
		state = step.State
		return step.Reason
	}
	for range 5 {
		if why := look(scaling.Observation{}); why != scaling.Patient {
			t.Fatalf("%s", why)
		}
	}
	look(scaling.Observation{Depth: 20_000})
	for range 5 {
		if why := look(scaling.Observation{}); why != scaling.Patient {
			t.Fatalf("after a reading to the contrary: %s", why)
		}
	}
	if why := look(scaling.Observation{}); why != scaling.Lowered || state.Concurrency != 225 {
		t.Errorf("%s to %d", why, state.Concurrency)
	}
}

func FuzzNextIsBoundedAndMonotone(f *testing.F) {
	f.Add(90, int64(0), int64(60), 100, 20, 5.0, int64(3000), int64(10))
	f.Add(0, int64(3600), int64(-5), -7, 1<<40, 1e300, int64(-1), int64(1<<40))
	f.Fuzz(func(t *testing.T, concurrency int, low, age int64, depth, busy int, arrivals float64, serviceMS, older int64) {
		b := bounds(t, nil)
		const most = int64(200 * 365 * 24 * 3600)
		clamp := func(n int64) time.Duration { return time.Duration(min(max(n, -most), most)) * time.Second }
		s := scaling.State{Concurrency: concurrency}
		if low > 0 {
			s.LowSince = noon.Add(-clamp(low))
		}
		o := scaling.Observation{
			At: noon, Age: clamp(age), Depth: depth, Busy: busy, Arrivals: job.Rate(arrivals),
			ServiceTime: clamp(serviceMS/1000) + time.Duration(serviceMS%1000)*time.Millisecond,
		}
		step := b.Next(s, o)
		if c := step.State.Concurrency; c < b.Least || c > b.Most {
			t.Fatalf("%+v, %+v: concurrency %d", s, o, c)
		}
		for _, more := range []func(o *scaling.Observation){
			func(o *scaling.Observation) { o.Age = max(o.Age, o.Age+clamp(max(older, 0))) },
			func(o *scaling.Observation) { o.Depth = max(o.Depth, o.Depth+int(min(max(older, 0), 1<<30))) },
			func(o *scaling.Observation) { o.Busy = max(o.Busy, o.Busy+int(min(max(older, 0), 1<<30))) },
			func(o *scaling.Observation) { o.Arrivals *= 2 },
		} {
			worse := o
			more(&worse)
			if got := b.Next(s, worse); got.State.Concurrency < step.State.Concurrency {
				t.Fatalf("%+v: from %+v, %d; from %+v, %d", s, o, step.State.Concurrency, worse, got.State.Concurrency)
			}
		}
	})
}

func ExampleBounds_Next() {
	plan, err := sizing.For(job.Queue{
		Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, MostWorkers: 300,
	}, 50*time.Second)
	if err != nil {
		panic(err)
	}
	step := scaling.For(plan).Next(scaling.State{}, scaling.Observation{At: time.Now(), Depth: 9000, Age: 4 * time.Minute})
	fmt.Println(step.State.Concurrency, step.Reason)
	// Output: 180 raised
}
