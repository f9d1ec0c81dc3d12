// Package sizing turns what is known of a load into numbers: workers, limits,
// timeouts, alarms, quotas and dollars. It is Little's law (items in a system =
// arrival rate × time each one spends there) and what follows from it, and Erlang's
// formula for how long a job waits although there are workers enough.
//
// Infrastructure, enqueue function, simulations and documentation take their numbers
// from here, so that nobody types one by hand. A Plan is what a queue's declaration
// comes to, and explains itself (Plan.Explain). Contradictions are refused where a
// plan is made (For, ForTasks), and where plans together ask for more than there is
// (Capacity.Check), each with the way out.
//
// Formulas take any number: what would overflow is the largest Duration or
// math.MaxInt32, what is no number counts as too much, and nothing is negative.
package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// InProgress is how many jobs are under way on average: L = λ × W.
func InProgress(arrivals job.Rate, service time.Duration) float64 {
	return float64(arrivals) * service.Seconds()
}

// LeastWorkers is how many workers keep utilisation (0 to 1) at its target.
func LeastWorkers(arrivals job.Rate, service time.Duration, utilisation float64) int {
	return ceil(InProgress(arrivals, service) / utilisation)
}

// RoundWorkers rounds a number of workers up to a multiple of step. A step of zero
// gives a number that people remember: the next multiple of job.DefaultRounding,
// above that many workers.
func RoundWorkers(workers, step int) int {
	if step <= 0 {
		if step = job.DefaultRounding; workers <= step {
			return workers
		}
	}
	return whole(math.Ceil(float64(workers)/float64(step)) * float64(step))
}

// Utilisation is how busy workers are: in progress ÷ workers, above 1 where they can
// not keep up.
func Utilisation(arrivals job.Rate, service time.Duration, workers int) float64 {
	return InProgress(arrivals, service) / float64(workers)
}

// DrainRate is how many jobs the workers finish in a second when all are busy.
func DrainRate(workers int, service time.Duration) job.Rate {
	return job.Rate(float64(workers) / service.Seconds())
}

// Limit is how many jobs may wait so that none waits longer than longest.
func Limit(drain job.Rate, longest time.Duration) int {
	return whole(math.Floor(float64(drain)*longest.Seconds() + 1e-9))
}

// Wait is how long a new job waits behind depth others.
func Wait(depth int, drain job.Rate) time.Duration {
	return timeAt(float64(depth), float64(drain))
}

// Backlog is how many jobs wait after arrivals exceeded the drain rate for a time.
func Backlog(arrivals, drain job.Rate, spike time.Duration) int {
	return whole(math.Round(max(float64(arrivals-drain), 0) * max(spike, 0).Seconds()))
}

// TimeToClear is how long a backlog takes to be worked off while more arrives.
// Where arrivals keep up with the drain rate it never is: the longest Duration.
func TimeToClear(backlog int, arrivals, drain job.Rate) time.Duration {
	return timeAt(float64(backlog), float64(drain-arrivals))
}

// TimeToFill is how long an empty queue takes to reach its limit. Where arrivals
// don't exceed the drain rate it never does: the longest Duration.
func TimeToFill(limit int, arrivals, drain job.Rate) time.Duration {
	return timeAt(float64(limit), float64(arrivals-drain))
}

// Storage is the size of a backlog in bytes.
func Storage(backlog int, message int64) int64 {
	if size := float64(max(backlog, 0)) * float64(max(message, 0)); size >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(max(backlog, 0)) * max(message, 0)
}

// timeAt is how long an amount takes at a rate: the longest Duration where the rate
// is none.
func timeAt(amount, rate float64) time.Duration {
	switch {
	case amount <= 0:
		return 0
	case !(rate > 0):
		return math.MaxInt64
	}
	return duration(amount / rate)
}

// duration makes seconds a Duration without overflow; what is no number counts as
// the longest.
func duration(seconds float64) time.Duration {
	if !(seconds < float64(math.MaxInt64)/1e9) {
		return math.MaxInt64
	}
	return time.Duration(math.Round(max(seconds, 0) * 1e9))
}

// ceil rounds up, forgiving the last digits of floating point: 60/0.75 is 80.
func ceil(x float64) int { return whole(math.Ceil(x*(1-1e-12) - 1e-9)) }

// whole makes a number an int without overflow; what is no number counts as too
// many.
func whole(x float64) int {
	if !(x < math.MaxInt32) {
		return math.MaxInt32
	}
	return int(max(x, 0))
}
