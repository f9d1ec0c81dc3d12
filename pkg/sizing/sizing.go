// Package sizing turns what is known of a load into numbers: workers, limits,
// timeouts. It is Little's law (items in a system = arrival rate × time each one
// spends there) and what follows from it.
//
// Infrastructure, enqueue function and documentation take their numbers from
// here, so that nobody types one by hand.
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

// RoundWorkers rounds a number of workers up to one that people remember:
// above ten, to the next multiple of ten.
func RoundWorkers(workers int) int {
	if workers <= 10 {
		return workers
	}
	return (workers + 9) / 10 * 10
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
	return duration(float64(depth) / float64(drain))
}

// Backlog is how many jobs wait after arrivals exceeded the drain rate for a time.
func Backlog(arrivals, drain job.Rate, spike time.Duration) int {
	return whole(math.Round(max(float64(arrivals-drain), 0) * spike.Seconds()))
}

// TimeToClear is how long a backlog takes to be worked off while more arrives.
// Where arrivals keep up with the drain rate it never is: the longest Duration.
func TimeToClear(backlog int, arrivals, drain job.Rate) time.Duration {
	if backlog == 0 {
		return 0
	}
	return timeAt(float64(backlog), float64(drain-arrivals))
}

// TimeToFill is how long an empty queue takes to reach its limit. Where arrivals
// don't exceed the drain rate it never does: the longest Duration.
func TimeToFill(limit int, arrivals, drain job.Rate) time.Duration {
	return timeAt(float64(limit), float64(arrivals-drain))
}

// Storage is the size of a backlog in bytes.
func Storage(backlog int, message int64) int64 { return int64(backlog) * message }

func timeAt(amount, rate float64) time.Duration {
	if rate <= 0 {
		return math.MaxInt64
	}
	return duration(amount / rate)
}

// duration makes seconds a Duration without overflow.
func duration(seconds float64) time.Duration {
	if seconds >= float64(math.MaxInt64)/1e9 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(seconds * 1e9))
}

// ceil rounds up, forgiving the last digits of floating point: 60/0.75 is 80.
func ceil(x float64) int { return whole(math.Ceil(x - 1e-9)) }

// whole makes a number an int without overflow; what is no number counts as too
// many.
func whole(x float64) int {
	if !(x < math.MaxInt32) {
		return math.MaxInt32
	}
	return int(x)
}
