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
	// Degrade; zero means that of the others.
	DegradedTime time.Duration
	// MessageBytes is the size of one message; zero means 1,000.
	MessageBytes int64
}

// DefaultMessageBytes is the size of a job's message and row, where nothing is said.
const DefaultMessageBytes = 1000

// An Outcome is what a spike does to a queue, in a fluid model: no chance, and nothing
// fails. Unbounded is how it would be without a limit, Bounded how it is.
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
	o.Unbounded = p.after(s, Backlog(s.Arrivals, p.DrainRate, s.For), 0)
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
		return DrainRate(p.Workers, s.DegradedTime)
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
	rest := TimeToFill(p.Limit-p.DegradeAt, s.Arrivals, p.drainAtLimit(s))
	if half > math.MaxInt64-rest {
		return math.MaxInt64
	}
	return half + rest
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

func (p Plan) after(s Spike, backlog, spilled int) Aftermath {
	all := whole(float64(backlog) + float64(spilled))
	return Aftermath{
		Backlog: backlog, Bytes: Storage(backlog, s.MessageBytes),
		Wait: Wait(backlog, p.DrainRate), Clear: TimeToClear(all, s.Before, p.DrainRate),
	}
}

// Explain gives each number of the outcome, with its formula.
func (o Outcome) Explain() []Figure {
	var e explanation
	s, p := o.Spike, o.Plan
	arrivals, drain := Number(float64(s.Arrivals)), Number(float64(p.DrainRate))
	size := Number(float64(s.MessageBytes))
	e.number("backlog", "backlog without a limit", float64(o.Unbounded.Backlog), "jobs", "(arrivals − drain rate) × time, 0 at least",
		f("(%s − %s)/s × %s", arrivals, drain, Period(s.For)))
	e.time("wait", "wait of a new job", o.Unbounded.Wait, "backlog ÷ drain rate", f("%s ÷ %s/s", Number(float64(o.Unbounded.Backlog)), drain))
	e.time("clear", "then gone after", o.Unbounded.Clear, "backlog ÷ (drain rate − arrivals afterwards)",
		f("%s ÷ (%s − %s)/s", Number(float64(o.Unbounded.Backlog)), drain, Number(float64(s.Before))))
	e.bytes("bytes", "size of the backlog", o.Unbounded.Bytes, "backlog × message", f("%s × %s bytes", Number(float64(o.Unbounded.Backlog)), size))
	filled := "limit ÷ (arrivals − drain rate)"
	if p.DegradeAt > 0 {
		filled = "half the limit ÷ (arrivals − drain rate) + the rest ÷ (arrivals − drain rate of degraded jobs)"
	}
	e.time("fill", "limit reached after", o.Fill, filled, f("%s ÷ (%s − %s)/s", Number(float64(p.Limit)), arrivals, drain))
	e.number("bounded_backlog", "backlog with the limit", float64(o.Bounded.Backlog), "jobs", "limit, where it is reached",
		f("limit %s", Number(float64(p.Limit))))
	e.time("bounded_wait", "wait of an accepted job", o.Bounded.Wait, "backlog ÷ drain rate", f("%s ÷ %s/s", Number(float64(o.Bounded.Backlog)), drain))
	if p.SpillLimit > 0 {
		e.number("spilled", "spilled to the table", float64(o.Spilled), "jobs", "(arrivals − drain rate) × time at the limit, up to the spill limit",
			f("(%s − %s)/s × (%s − %s), up to %s", arrivals, drain, Period(s.For), Period(min(o.Fill, s.For)), Number(float64(p.SpillLimit))))
	}
	e.number("refused", "refused", float64(o.Refused), "jobs", "(arrivals − drain rate) × time at the limit, less what is spilled",
		f("(%s − %s)/s × (%s − %s) − %s", arrivals, Number(float64(p.drainAtLimit(s))), Period(s.For), Period(min(o.Fill, s.For)), Number(float64(o.Spilled))))
	e.time("bounded_clear", "then gone after", o.Bounded.Clear, "(backlog + spilled) ÷ (drain rate − arrivals afterwards)",
		f("(%s + %s) ÷ (%s − %s)/s", Number(float64(o.Bounded.Backlog)), Number(float64(o.Spilled)), drain, Number(float64(s.Before))))
	return e.figures
}
