package sizing

import (
	"math"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Explain gives each number of the outcome, with its formula.
func (o Outcome) Explain() []Figure {
	var e explanation
	o.explainUnbounded(&e)
	o.explainFill(&e)
	o.explainBounded(&e)
	return e.figures
}

func (o Outcome) explainUnbounded(e *explanation) {
	s, p := o.Spike, o.Plan
	backlog, drain := Number(float64(o.Unbounded.Backlog)), Number(float64(p.DrainRate))
	e.number("backlog", "backlog without a limit", float64(o.Unbounded.Backlog), "jobs", "(arrivals − drain rate) × time, 0 at least",
		f("(%s − %s)/s × %s", Number(float64(s.Arrivals)), drain, Period(s.For)))
	e.time("wait", "wait of a new job", o.Unbounded.Wait, "backlog ÷ drain rate", f("%s ÷ %s/s", backlog, drain))
	e.time("clear", "then gone after", o.Unbounded.Clear, "backlog ÷ (drain rate − arrivals afterwards)",
		f("%s ÷ (%s − %s)/s", backlog, drain, Number(float64(s.Before))))
	e.bytes("bytes", "size of the backlog", o.Unbounded.Bytes, "backlog × message", f("%s × %s bytes", backlog, Number(float64(s.MessageBytes))))
}

// explainFill tells when the limit is reached: within the spike, or not.
func (o Outcome) explainFill(e *explanation) {
	s, p := o.Spike, o.Plan
	less := func(drain job.Rate) string {
		return f("(%s − %s)/s", Number(float64(s.Arrivals)), Number(float64(drain)))
	}
	formula, with := "limit ÷ (arrivals − drain rate)", f("%s ÷ %s", Number(float64(p.Limit)), less(p.DrainRate))
	waits, from := "(arrivals − drain rate) × time, 0 at least", f("%s × %s", less(p.DrainRate), Period(s.For))
	if half, rest := p.steps(p.Limit); rest > 0 {
		formula = "half the limit ÷ (arrivals − drain rate) + the rest ÷ (arrivals − drain rate of degraded jobs)"
		with = f("%s ÷ %s + %s ÷ %s", Number(float64(half)), less(p.DrainRate), Number(float64(rest)), less(p.drainAtLimit(s)))
		if at := TimeToFill(half, s.Arrivals, p.DrainRate); at < s.For {
			waits = "half the limit + (arrivals − drain rate of degraded jobs) × time above it, half the limit at least"
			from = f("%s + %s × (%s − %s)", Number(float64(half)), less(p.drainAtLimit(s)), Period(s.For), Period(at))
		}
	}
	e.time("fill", "limit reached after", o.Fill, formula, with)
	if o.Fill != math.MaxInt64 {
		waits, from = "limit, where it is reached", f("limit %s", Number(float64(p.Limit)))
	} else if s.Arrivals > p.DrainRate {
		e.figures[len(e.figures)-1].Text = "not within the " + Period(s.For)
	}
	e.number("bounded_backlog", "backlog with the limit", float64(o.Bounded.Backlog), "jobs", waits, from)
}

func (o Outcome) explainBounded(e *explanation) {
	s, p := o.Spike, o.Plan
	arrivals, before, drain, full := Number(float64(s.Arrivals)), Number(float64(s.Before)), Number(float64(p.DrainRate)), Number(float64(p.drainAtLimit(s)))
	rest, degraded := p.steps(o.Bounded.Backlog)
	slow, fast, spilled := Number(float64(rest)), Number(float64(degraded)), Number(float64(o.Spilled))
	atLimit := f("(%s − %s)/s × (%s − %s)", arrivals, full, Period(s.For), Period(min(o.Fill, s.For)))
	wait, clear := f("%s ÷ %s/s", slow, drain), f("(%s + %s) ÷ (%s − %s)/s", slow, spilled, drain, before)
	waitBy, clearBy := "backlog ÷ drain rate", "(backlog + spilled) ÷ (drain rate − arrivals afterwards)"
	if degraded > 0 {
		wait = f("%s ÷ %s/s + %s", fast, full, wait)
		clear = f("%s ÷ (%s − %s)/s + %s ÷ (%s − %s)/s", fast, full, before, slow, drain, before)
		waitBy = "above half the limit ÷ drain rate of degraded jobs + the rest ÷ drain rate"
		clearBy = "above half the limit ÷ (drain rate of degraded jobs − arrivals afterwards) + the rest ÷ (drain rate − arrivals afterwards)"
	}
	e.time("bounded_wait", "wait of an accepted job", o.Bounded.Wait, waitBy, wait)
	if p.SpillLimit > 0 {
		e.number("spilled", "spilled to the table", float64(o.Spilled), "jobs", "(arrivals − drain rate) × time at the limit, up to the spill limit",
			f("%s, up to %s", atLimit, Number(float64(p.SpillLimit))))
	}
	e.number("refused", "refused", float64(o.Refused), "jobs", "(arrivals − drain rate) × time at the limit, less what is spilled", f("%s − %s", atLimit, spilled))
	e.time("bounded_clear", "then gone after", o.Bounded.Clear, clearBy, clear)
}
