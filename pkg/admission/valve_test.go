package admission

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// By depth or by age, whichever takes longer. The limit is 100 jobs at one a second,
// the longest wait 100 s: the marks are 95 and 95 s.
func TestWhenItOpens(t *testing.T) {
	for name, c := range map[string]struct {
		depth int
		age   time.Duration
		want  time.Duration
	}{
		"by depth":                         {depth: 115, want: 20 * time.Second},
		"nothing to wait for":              {depth: 10},
		"by age, drained faster than aged": {depth: 50, age: 100 * time.Second, want: 5 * time.Second},
		"older":                            {depth: 50, age: 140 * time.Second, want: 25 * time.Second},
		"by age, when it is empty":         {depth: 80, age: 97 * time.Second, want: 2 * time.Second / 17 * 80}, // 9.4 s
		"it ages as fast as it is drained": {depth: 90, age: 90 * time.Second},
		"too old, and as deep":             {depth: 110, age: 110 * time.Second, want: 110 * time.Second},
		"deeper than old":                  {depth: 300, age: 100 * time.Second, want: 300 * time.Second},
		"what is due, in an empty queue":   {age: time.Hour},
		"beyond all numbers":               {depth: 1 << 60, age: 1 << 62, want: sizing.MostRetryAfter},
	} {
		t.Run(name, func(t *testing.T) {
			v := newValve(1, 100, 100*time.Second)
			v.see(sight{depth: c.depth, waited: time.Hour}) // it is shut by age
			seen := sight{depth: c.depth, waited: c.age}
			v.see(seen)
			if got := v.open(seen, 1); (got - c.want).Abs() > 50*time.Millisecond {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A wait that is told is never negative and never absurd, and a valve that is shut at
// its limit is open when there is nothing.
func FuzzValve(f *testing.F) {
	f.Add(0.5, 100, int64(1e11), 57, int64(3e10), 1.0)
	f.Fuzz(func(t *testing.T, share float64, limit int, longest int64, depth int, age int64, drain float64) {
		if !(share > 0 && share <= 1) || limit < 1 || longest < 0 || depth < 0 || age < 0 || !(drain > 0) {
			return
		}
		v := newValve(share, limit, time.Duration(longest))
		seen := sight{depth: depth, waited: time.Duration(age)}
		v.see(seen)
		if wait := v.open(seen, drain); wait < 0 || wait > sizing.MostRetryAfter {
			t.Errorf("%+v: %v at a depth of %d and an age of %v", v, wait, depth, time.Duration(age))
		}
		v.see(sight{depth: v.at})
		if !v.shut || v.at > max(limit, 1) || sizing.Mark(v.at) >= v.at {
			t.Errorf("%+v: open at its limit of %d", v, limit)
		}
		if v.see(sight{}); v.shut {
			t.Errorf("%+v: shut when nothing waits", v)
		}
	})
}
