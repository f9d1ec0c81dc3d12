package admission

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A sight is what valves go by.
type sight struct {
	// depth is how many jobs wait.
	depth int
	// waited is for how long the oldest of them has waited for a worker; due is how
	// long a job has been due that was not handed to the queue.
	waited, due time.Duration
	// ahead is how many jobs waited when the oldest one came, where that is known.
	ahead int
	known bool
}

// A valve is a threshold with hysteresis: a share of the queue's limits.
//
// An age tells how the queue was when the oldest job came, and not what a new one will
// wait: where the limit was exceeded for a moment, the age stays too high until all
// that waits is worked off. So from the first job on that waited too long, what a new
// one will wait is reckoned: those ahead of the oldest took its age to be worked off, and
// those that wait now take as long, each. The valve goes by that until it is worth no
// more than the limit. Where it can't be reckoned, the age decides alone.
type valve struct {
	share float64
	// at is a depth, oldest an age, young the age at which one that was too high no
	// longer is.
	at            int
	oldest, young time.Duration
	// aged tells that a job waited too long, and that the workers do not do yet what
	// the limit reckons with.
	aged bool
	// bound is how many jobs may wait, by what was seen last.
	bound int
	shut  bool
}

func newValve(share float64, limit int, longest time.Duration) valve {
	at := max(int(math.Floor(float64(limit)*share+1e-9)), 1) // a share of floating point may miss a job
	oldest := time.Duration(float64(longest) * share)
	return valve{share: share, at: at, bound: at, oldest: oldest, young: oldest - oldest/20}
}

// degradeShare is where a queue that degrades begins to: sizing.DegradeAt as a share.
func degradeShare(limit int) float64 { return float64(sizing.DegradeAt(limit)) / float64(limit) }

// see moves the valve: it shuts at the bound, and opens at its mark.
func (v *valve) see(s sight) {
	v.bound = v.reckon(s)
	switch {
	case s.depth >= v.bound:
		v.shut = true
	case s.depth <= sizing.Mark(v.bound):
		v.shut = false
	}
}

// reckon gives how many jobs may wait: as many as the limit says, or fewer where workers
// are slower than declared, or none where a job waited too long and no more is known.
func (v *valve) reckon(s sight) int {
	switch {
	case v.oldest == 0:
		return v.at
	case s.due >= v.oldest, v.shut && s.due > v.young:
		return 0
	case s.waited >= v.oldest:
		v.aged = true
	case v.aged && s.known:
		v.aged = s.waited > v.oldest/2 && v.inTime(s) < v.at
	case v.aged:
		v.aged = s.waited > v.young
	}
	switch {
	case !v.aged:
		return v.at
	case !s.known:
		return 0
	}
	return min(v.inTime(s), v.at)
}

// inTime is how many jobs the workers do in the longest wait, as fast as they did those
// ahead of the oldest.
func (v *valve) inTime(s sight) int {
	return int(min(float64(s.ahead)*float64(v.oldest)/float64(s.waited), math.MaxInt32))
}

// open is how long the workers take until the valve opens, where nothing more
// comes. Where the bound is not known it is by depth or by age, whichever is longer.
// Nothing is known of a queue that is not worked on; then it is what they would take.
//
// The oldest of D jobs, which came over an age A and are drained at a rate r, has
// waited A + t - A×t×r/D after t: as the queue grows younger than time passes, if it
// does, and at the latest when it is empty, after D/r.
func (v *valve) open(s sight, drain float64) time.Duration {
	mark := sizing.Mark(v.at)
	if v.bound > 0 {
		mark = sizing.Mark(v.bound)
	}
	if v.aged && s.known && s.ahead > 0 {
		drain = min(drain, float64(s.ahead)/s.waited.Seconds())
	}
	seconds := max(float64(s.depth-mark)/drain, 0)
	if age := max(s.waited, s.due); v.bound == 0 && age > v.young {
		empty := float64(s.depth) / drain
		if faster := age.Seconds()/empty - 1; empty > 0 && faster > 0 {
			empty = min(empty, (age-v.young).Seconds()/faster)
		}
		seconds = max(seconds, empty)
	}
	return time.Duration(min(seconds, sizing.MostRetryAfter.Seconds()) * float64(time.Second))
}
