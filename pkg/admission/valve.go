package admission

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A valve is a threshold with hysteresis: a share of the queue's limits.
type valve struct {
	share float64
	// at and mark are depths, oldest and young ages: it shuts from the first of each
	// on, and opens when both are down to the second.
	at, mark      int
	oldest, young time.Duration
	shut          bool
}

func newValve(share float64, limit int, longest time.Duration) valve {
	at := max(int(math.Floor(float64(limit)*share+1e-9)), 1) // a share of floating point may miss a job
	oldest := time.Duration(float64(longest) * share)
	return valve{share: share, at: at, mark: sizing.Mark(at), oldest: oldest, young: oldest - oldest/20}
}

// degradeShare is where a queue that degrades begins to: sizing.DegradeAt as a share.
func degradeShare(limit int) float64 { return float64(sizing.DegradeAt(limit)) / float64(limit) }

// see moves the valve.
func (v *valve) see(depth int, age time.Duration) {
	aged := v.oldest > 0
	switch {
	case depth >= v.at, aged && age >= v.oldest:
		v.shut = true
	case depth <= v.mark && (!aged || age <= v.young):
		v.shut = false
	}
}

// open is how long the workers take until the valve opens, where nothing more
// comes: by depth or by age, whichever is longer. Nothing is known of a queue that is
// not worked on; then it is what they would take.
//
// The oldest of D jobs, which came over an age A and are drained at a rate r, has
// waited A + t - A×t×r/D after t: as the queue grows younger than time passes, if it
// does, and at the latest when it is empty, after D/r.
func (v *valve) open(depth int, age time.Duration, drain float64) time.Duration {
	seconds := max(float64(depth-v.mark)/drain, 0)
	if v.oldest > 0 && age > v.young {
		empty := float64(depth) / drain
		if faster := age.Seconds()/empty - 1; empty > 0 && faster > 0 {
			empty = min(empty, (age-v.young).Seconds()/faster)
		}
		seconds = max(seconds, empty)
	}
	return time.Duration(min(seconds, sizing.MostRetryAfter.Seconds()) * float64(time.Second))
}
