package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Waiting is how long jobs wait although the workers keep up: arrivals come in
// clusters, and service times vary. It is Erlang's model (M/M/c): arrivals
// independent of one another, service times that vary as much as they are long. Work
// that always takes about as long waits about half of that.
// https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula
type Waiting struct {
	// Arrivals is the rate of arrivals, Service the mean service time.
	Arrivals job.Rate
	Service  time.Duration
	Workers  int
	// Utilisation is how busy the workers are. From 1 on nothing keeps up: each job
	// waits, and longer than the one before.
	Utilisation float64
	// Probability is the share of jobs that find no worker free.
	Probability float64
	// Mean is the mean wait over all jobs, those that don't wait at all among them;
	// the longest Duration where nothing keeps up.
	Mean time.Duration
}

// WaitingFor works out the waits at so many workers.
func WaitingFor(arrivals job.Rate, service time.Duration, workers int) Waiting {
	w := Waiting{Arrivals: arrivals, Service: service, Workers: workers}
	w.Utilisation = Utilisation(arrivals, service, workers)
	w.Probability = ErlangC(InProgress(arrivals, service), workers)
	w.Mean = w.after(w.Probability)
	return w
}

// WaitingAt works out the waits of so many workers at each utilisation: what a table
// and a curve of waits consist of.
func WaitingAt(workers int, service time.Duration, utilisations ...float64) []Waiting {
	waits := make([]Waiting, len(utilisations))
	for i, u := range utilisations {
		waits[i] = WaitingFor(job.Rate(u*float64(workers)/service.Seconds()), service, workers)
	}
	return waits
}

// Percentile is the wait that a share of the jobs (0 to 1) does not exceed: 0.99 for
// the 99th percentile. Zero where so many do not wait at all.
func (w Waiting) Percentile(share float64) time.Duration {
	if w.Probability <= 1-share {
		return 0
	}
	return w.after(math.Log(w.Probability / (1 - share)))
}

// Exceeds is the share of jobs that wait longer than a time: C × e^(−(drain − arrivals) × t).
func (w Waiting) Exceeds(t time.Duration) float64 {
	spare := w.spare()
	if !(spare > 0) {
		return 1
	}
	return w.Probability * math.Exp(-spare*max(t, 0).Seconds())
}

// spare is what the workers could finish in a second besides.
func (w Waiting) spare() float64 {
	return float64(DrainRate(w.Workers, w.Service) - w.Arrivals)
}

// after is how long an amount takes at the spare rate.
func (w Waiting) after(amount float64) time.Duration { return timeAt(amount, w.spare()) }

// mostSteps is up to how many workers Erlang's formula is worked out step by step;
// above, its limit for many workers is exact to more digits than loads are known to.
const mostSteps = 1_000_000

// ErlangC is the share of jobs that find all workers busy, where load is the mean
// number in progress. It is 1 where the workers can't keep up.
//
// It goes by Erlang's formula for lost calls, step by step from one worker on, which
// neither overflows nor loses digits for any number of workers.
func ErlangC(load float64, workers int) float64 {
	switch {
	case load <= 0:
		return 0
	case workers < 1 || !(load < float64(workers)):
		return 1
	case workers > mostSteps:
		return halfinWhitt(load, float64(workers))
	}
	lost := 1.0
	for n := 1; n <= workers && lost > 0; n++ {
		lost = load * lost / (float64(n) + load*lost)
	}
	busy := load / float64(workers)
	return lost / (1 - busy*(1-lost))
}

// halfinWhitt is the limit of Erlang's formula for many workers.
// Halfin and Whitt, Heavy-Traffic Limits for Queues with Many Exponential Servers,
// Operations Research 29 (1981).
func halfinWhitt(load, workers float64) float64 {
	beta := (1 - load/workers) * math.Sqrt(workers)
	below := math.Erfc(-beta/math.Sqrt2) / 2
	density := math.Exp(-beta*beta/2) / math.Sqrt(2*math.Pi)
	return density / (density + beta*below)
}

// WorkersFor is the smallest number of workers at which a share of the jobs (0.99
// for 99 in 100) waits no longer than longest. More than math.MaxInt32 are never
// asked for.
func WorkersFor(arrivals job.Rate, service, longest time.Duration, share float64) int {
	enough := func(workers int) bool {
		w := WaitingFor(arrivals, service, workers)
		return w.Utilisation < 1 && w.Percentile(share) <= longest
	}
	low := whole(InProgress(arrivals, service)) // never enough: the workers must exceed the load
	high := max(low, 1)
	for !enough(high) {
		if high >= math.MaxInt32/2 {
			return math.MaxInt32
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
