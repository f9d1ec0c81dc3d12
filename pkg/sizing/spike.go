package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Spike is a load above the declared one for some time.
type Spike struct {
	// Arrivals is how many jobs arrive a second meanwhile.
	Arrivals job.Rate
	// For is how long it lasts.
	For time.Duration
	// Before is how many arrive otherwise; zero means the declared peak.
	Before job.Rate
	// DegradedTime is the service time of a degraded job, where the queue's Full is
	// Degrade; zero, and more than that of the others, mean theirs.
	DegradedTime time.Duration
	// MessageBytes is the size of one message; zero means 1,000.
	MessageBytes int64
}

// DefaultMessageBytes is the size of a job's message and row, where nothing is said.
const DefaultMessageBytes = 1000

// An Outcome is what a spike does to a queue, in a fluid model: no chance, and nothing
// fails; while more than half the limit wait, workers of a queue that degrades finish
// what degraded jobs take. Unbounded is how it would be without a limit, Bounded how it is.
type Outcome struct {
	Plan  Plan
	Spike Spike
	// Unbounded and Bounded are the queue at the end of the spike.
	Unbounded, Bounded Aftermath
	// Fill is how long the queue takes to reach its limit; the longest Duration where
	// it does not.
	Fill time.Duration
	// Spilled and Refused are the jobs that the limit kept out.
	Spilled, Refused int
}

// An Aftermath is a queue at the end of a spike.
type Aftermath struct {
	// Backlog is how many jobs wait, Bytes how large they are.
	Backlog int
	Bytes   int64
	// Wait is how long a job that arrives then waits; Clear is how long the backlog
	// takes to be gone.
	Wait, Clear time.Duration
}

// Under works out what a spike does to the queue.
func (p Plan) Under(s Spike) Outcome {
	s.Before = orDefault(s.Before, p.Queue.PeakArrivals)
	s.MessageBytes = orDefault(s.MessageBytes, DefaultMessageBytes)
	o := Outcome{Plan: p, Spike: s, Fill: p.fill(s)}
	o.Unbounded = p.unbounded(s)
	if o.Fill >= s.For {
		o.Fill = math.MaxInt64
		o.Bounded = p.after(s, p.backlog(s), 0)
		return o
	}
	kept := Backlog(s.Arrivals, p.drainAtLimit(s), s.For-o.Fill)
	o.Spilled = min(kept, p.SpillLimit)
	o.Refused = kept - o.Spilled
	o.Bounded = p.after(s, p.Limit, o.Spilled)
	return o
}

// drainAtLimit is the drain rate of a full queue: degraded jobs are done sooner.
func (p Plan) drainAtLimit(s Spike) job.Rate {
	if p.Queue.Full == job.Degrade && s.DegradedTime > 0 {
		return max(p.DrainRate, DrainRate(p.Workers, s.DegradedTime))
	}
	return p.DrainRate
}

// fill is how long the queue takes to its limit: a queue that degrades jobs fills
// more slowly from half of it on.
func (p Plan) fill(s Spike) time.Duration {
	if p.DegradeAt == 0 {
		return TimeToFill(p.Limit, s.Arrivals, p.DrainRate)
	}
	half := TimeToFill(p.DegradeAt, s.Arrivals, p.DrainRate)
	return sum(half, TimeToFill(p.Limit-p.DegradeAt, s.Arrivals, p.drainAtLimit(s)))
}

// sum adds times without overflow.
func sum(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// backlog is how many jobs wait at the end of a spike that does not fill the queue.
func (p Plan) backlog(s Spike) int {
	whole := Backlog(s.Arrivals, p.DrainRate, s.For)
	if p.DegradeAt == 0 || whole <= p.DegradeAt {
		return whole
	}
	half := TimeToFill(p.DegradeAt, s.Arrivals, p.DrainRate)
	return p.DegradeAt + Backlog(s.Arrivals, p.drainAtLimit(s), s.For-half)
}

// steps divides a backlog into what is done whole and what is done degraded: all above
// half the limit, where the queue's Full is Degrade.
func (p Plan) steps(backlog int) (whole, degraded int) {
	if p.DegradeAt == 0 {
		return backlog, 0
	}
	return min(backlog, p.DegradeAt), max(backlog-p.DegradeAt, 0)
}

// unbounded is the queue after a spike without a limit, and so without degrading.
func (p Plan) unbounded(s Spike) Aftermath {
	backlog := Backlog(s.Arrivals, p.DrainRate, s.For)
	return Aftermath{
		Backlog: backlog, Bytes: Storage(backlog, s.MessageBytes),
		Wait: Wait(backlog, p.DrainRate), Clear: TimeToClear(backlog, s.Before, p.DrainRate),
	}
}

func (p Plan) after(s Spike, backlog, spilled int) Aftermath {
	rest, degraded := p.steps(backlog)
	fast := p.drainAtLimit(s)
	all := whole(float64(rest) + float64(spilled))
	return Aftermath{
		Backlog: backlog, Bytes: Storage(backlog, s.MessageBytes),
		Wait:  sum(Wait(degraded, fast), Wait(rest, p.DrainRate)),
		Clear: sum(TimeToClear(degraded, s.Before, fast), TimeToClear(all, s.Before, p.DrainRate)),
	}
}
