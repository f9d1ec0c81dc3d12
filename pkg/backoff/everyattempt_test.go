package backoff_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

// attempts are numbers at which the exponential bound of some policy passes a
// limit: of a second, of its cap, of an int64, of a float64.
var attempts = []int{
	math.MinInt, -1, 0, 1, 2, 5, 6, 20, 24, 25, 31, 32, 33, 38, 39, 40, 49, 61, 62, 63, 64, 65, 100, 127, 128,
	1023, 1024, 1025, 1 << 20, math.MaxInt32, math.MaxInt - 1, math.MaxInt,
}

// odd are policies at the ends of what is allowed.
var odd = map[string]backoff.Policy{
	"the defaults":         {},
	"milliseconds":         {Base: 30 * time.Millisecond, Floor: time.Millisecond, Cap: time.Second},
	"a nanosecond":         {Base: 1, Floor: 1, Cap: 1},
	"a base over the cap":  {Base: time.Hour, Floor: time.Second, Cap: time.Minute},
	"for ever":             {Base: math.MaxInt64, Cap: math.MaxInt64},
	"a steep rise":         {Base: 1, Factor: math.MaxFloat64, Floor: 1, Cap: math.MaxInt64},
	"no rise":              {Base: 10 * time.Second, Factor: 1},
	"floor and cap in one": {Floor: time.Minute, Cap: time.Minute},
}

// A wait that a large number makes overflow is often skipped, which turns the
// waits off exactly when the most fails.
func TestNoAttemptNumberSkipsTheWait(t *testing.T) {
	for name, p := range odd {
		if err := p.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		floor, limit := p.Floor, p.Cap
		if floor == 0 {
			floor = backoff.DefaultFloor
		}
		if limit == 0 {
			limit = backoff.DefaultCap
		}
		for _, attempt := range attempts {
			for _, random := range []float64{0, 1e-300, 0.5, math.Nextafter(1, 0)} {
				if got := p.After(attempt, at(random)); got < floor || got > limit {
					t.Errorf("%s: After(%d) at %v = %v, want %v to %v", name, attempt, random, got, floor, limit)
				}
			}
			if got := p.Longest(attempt); got < floor || got > limit {
				t.Errorf("%s: Longest(%d) = %v, want %v to %v", name, attempt, got, floor, limit)
			}
		}
	}
}

// Bounds only grow with the attempt: a jitter whose integer arithmetic falls back
// to the start now and then would show here.
func TestTheLongestWaitNeverFalls(t *testing.T) {
	for name, p := range odd {
		before := p.Longest(1)
		for attempt := 2; attempt <= 200; attempt++ {
			next := p.Longest(attempt)
			if next < before {
				t.Errorf("%s: attempt %d waits %v at most, the one before %v", name, attempt, next, before)
			}
			before = next
		}
	}
}

// Full jitter is even between nothing and the bound, and has no heap at either end.
func TestTheWaitIsDrawnEvenly(t *testing.T) {
	const samples, parts = 10_000, 10
	random := rand.New(rand.NewPCG(6, 6))
	p := backoff.Policy{Base: time.Second, Floor: 1, Cap: time.Hour}
	bound := p.Longest(6)
	if bound != 32*time.Second {
		t.Fatalf("the bound of attempt 6 is %v", bound)
	}
	var sum time.Duration
	var part [parts]int
	for range samples {
		wait := p.After(6, random.Float64)
		sum += wait
		part[min(int(wait*parts/bound), parts-1)]++
	}
	if mean := sum / samples; mean < bound*95/200 || mean > bound*105/200 {
		t.Errorf("the mean is %v, want about %v", mean, bound/2)
	}
	for i, n := range part {
		if n < samples/parts*8/10 || n > samples/parts*12/10 {
			t.Errorf("%d of %d waits lie in tenth %d: %v", n, samples, i, part)
		}
	}
}

// Jobs that failed in one moment, since what they all need was down, do not come
// back in one: no second has much more than its share of them.
func TestJobsThatFailedTogetherComeBackSpread(t *testing.T) {
	const jobs = 4000
	random := rand.New(rand.NewPCG(8, 8))
	for attempt := 1; attempt <= 8; attempt++ {
		perSecond := map[time.Duration]int{}
		seconds := int(backoff.Policy{}.Longest(attempt) / time.Second)
		for range jobs {
			perSecond[backoff.Policy{}.After(attempt, random.Float64).Truncate(time.Second)]++
		}
		for at, n := range perSecond {
			share := jobs / seconds
			if at == backoff.DefaultFloor { // what the floor lifts comes with it
				share *= 2
			}
			if n > share+share/2+20 {
				t.Errorf("attempt %d: %d of %d jobs come back at %v; their share is %d", attempt, n, jobs, at, share)
			}
		}
	}
}

// What a caller's own function answers is held to the policy's bounds.
func TestAnOwnFunctionIsHeldToFloorAndCap(t *testing.T) {
	functions := map[string]func(int) time.Duration{
		"nothing":             func(int) time.Duration { return 0 },
		"less than that":      func(int) time.Duration { return math.MinInt64 },
		"for ever":            func(int) time.Duration { return math.MaxInt64 },
		"a shift too far":     func(n int) time.Duration { return time.Second << (uint(n) % 128) },
		"a product too large": func(n int) time.Duration { return time.Duration(n) * time.Duration(n) * time.Hour },
	}
	for name, wait := range functions {
		for _, p := range []backoff.Policy{{Wait: wait}, {Wait: wait, Floor: time.Minute, Cap: time.Hour}, {Wait: wait, Floor: 1, Cap: math.MaxInt64}} {
			floor, limit := max(p.Floor, 0), p.Cap
			if floor == 0 {
				floor, limit = backoff.DefaultFloor, backoff.DefaultCap
			}
			for _, attempt := range attempts {
				if got := p.After(attempt, at(0)); got < floor || got > limit || got != p.Longest(attempt) {
					t.Errorf("%s: After(%d) = %v, Longest %v; want %v to %v", name, attempt, got, p.Longest(attempt), floor, limit)
				}
			}
		}
	}
}

func FuzzOwnFunction(f *testing.F) {
	f.Add(1, int64(0), int64(0), int64(0))
	f.Add(math.MaxInt, int64(math.MinInt64), int64(1), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, attempt int, wait, floor, limit int64) {
		p := backoff.Policy{
			Floor: time.Duration(floor), Cap: time.Duration(limit),
			Wait: func(int) time.Duration { return time.Duration(wait) },
		}
		if p.Validate() != nil {
			t.Skip()
		}
		got := p.After(attempt, nil)
		if got <= 0 || floor > 0 && got < p.Floor || limit > 0 && got > p.Cap {
			t.Errorf("%d between %d and %d became %d", wait, floor, limit, got)
		}
	})
}
