package backoff_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

func at(f float64) func() float64 { return func() float64 { return f } }

func TestAfter(t *testing.T) {
	tests := []struct {
		name    string
		policy  backoff.Policy
		attempt int
		random  float64
		want    time.Duration
	}{
		{"first, middle of the range", backoff.Policy{}, 1, 0.5, 7500 * time.Millisecond},
		{"second doubles", backoff.Policy{}, 2, 0.5, 15 * time.Second},
		{"no zero wait", backoff.Policy{}, 1, 0, time.Second},
		{"attempt 0 counts as the first", backoff.Policy{}, 0, 0.5, 7500 * time.Millisecond},
		{"the cap holds", backoff.Policy{Cap: time.Minute}, 30, 0.999999999, time.Minute - 60*time.Nanosecond},
		{"no overflow", backoff.Policy{}, math.MaxInt, 0.5, backoff.DefaultCap / 2},
		{"a negative attempt", backoff.Policy{}, math.MinInt, 0.5, 7500 * time.Millisecond},
		{"own function", backoff.Policy{Wait: func(n int) time.Duration { return time.Duration(n) * time.Second }}, 7, 0.1, 7 * time.Second},
		{"own function below the floor", backoff.Policy{Wait: func(int) time.Duration { return -1 }}, 7, 0.1, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.policy.After(tt.attempt, at(tt.random)); got != tt.want {
				t.Errorf("After(%d) = %v, want %v", tt.attempt, got, tt.want)
			}
		})
	}
}

// The default of 25 attempts must outlast a fault of about three weeks.
func TestDefaultsSpanThreeWeeks(t *testing.T) {
	var sum time.Duration
	for attempt := 1; attempt < 25; attempt++ {
		sum += backoff.Policy{}.After(attempt, at(0.5))
	}
	if sum < 20*24*time.Hour || sum > 23*24*time.Hour {
		t.Errorf("24 average waits add up to %v, want about three weeks", sum)
	}
}

func TestValidateReportsAll(t *testing.T) {
	err := backoff.Policy{Base: -1, Factor: 0.5, Floor: -1, Cap: -5}.Validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 4 {
		t.Errorf("Validate() = %v, want four problems", err)
	}
	if err := (backoff.Policy{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

func FuzzAfter(f *testing.F) {
	f.Add(1, 0.5, int64(0), int64(0), int64(0), 0.0)
	f.Add(math.MaxInt, 0.99, int64(math.MaxInt64), int64(1), int64(math.MaxInt64), 10.0)
	f.Fuzz(func(t *testing.T, attempt int, random float64, base, floor, limit int64, factor float64) {
		p := backoff.Policy{Base: time.Duration(base), Floor: time.Duration(floor), Cap: time.Duration(limit), Factor: factor}
		if p.Validate() != nil || !(random >= 0 && random < 1) {
			t.Skip()
		}
		got := p.After(attempt, at(random))
		if got <= 0 || got > p.Longest(attempt) {
			t.Errorf("%+v.After(%d, %v) = %v", p, attempt, random, got)
		}
	})
}

func ExamplePolicy_After() {
	p := backoff.Policy{Base: time.Second, Cap: time.Minute}
	middle := func() float64 { return 0.5 }
	for attempt := 1; attempt <= 8; attempt += 3 {
		fmt.Println(p.After(attempt, middle))
	}
	// Output:
	// 1s
	// 4s
	// 30s
}
