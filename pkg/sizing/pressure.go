package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Rules of a full queue. Gates (package admission), simulations and plans take
// them from here.
const (
	// LeastRetryAfter and MostRetryAfter bound what a refused client is told to
	// wait: less would bring it back before anything has changed, and after more
	// the load is another.
	LeastRetryAfter = time.Second
	MostRetryAfter  = 10 * time.Minute
	// leastSpread is over how long at least those come back who were refused
	// together: answers are whole seconds, and half of a second would be none.
	leastSpread = 2 * time.Second
	// hysteresis is the part of a threshold by which the depth has to fall below
	// it, so that a gate does not flutter.
	hysteresis = 20
	// degradeShare is the part of the limit at which jobs are degraded.
	degradeShare = 2
)

// Mark is the depth to which a queue that was full must fall before it takes work
// again: a twentieth below its limit, and at least one job.
func Mark(limit int) int { return limit - max(limit/hysteresis, 1) }

// DegradeAt is the depth from which the jobs of a queue whose Full is Degrade are
// marked to do less: half the limit, and at least one job. They are until the depth
// has fallen to Mark of it.
func DegradeAt(limit int) int { return max(limit/degradeShare, 1) }

// DefaultSpillLimit is how many jobs may be spilled where a queue does not say: what
// its workers finish in a day.
func DefaultSpillLimit(drain job.Rate) int { return Limit(drain, 24*time.Hour) }

// RetryAfter is what a client is told that is refused at a depth: the time in which
// the workers bring the depth down to the mark, longer by up to a half, or by two
// seconds where that is more, so that those who were refused together don't come back
// together. random is in [0, 1). The
// answer is in whole seconds, rounded up, from LeastRetryAfter to MostRetryAfter.
func RetryAfter(depth, mark int, drain job.Rate, random float64) time.Duration {
	return Spread(timeAt(max(float64(depth)-float64(mark), 0), float64(drain)), random)
}

// Spread lengthens a wait by chance, and keeps it to what a client may be told: see
// RetryAfter. The longest waits are spread as well.
func Spread(wait time.Duration, random float64) time.Duration {
	const most = MostRetryAfter * 2 / 3
	if !(random > 0) {
		random = 0
	}
	wait = min(max(wait, LeastRetryAfter), most)
	seconds := wait.Seconds() + min(random, 1)*max(wait/2, leastSpread).Seconds()
	return time.Duration(math.Ceil(seconds)) * time.Second
}
