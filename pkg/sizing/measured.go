package sizing

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Measured is what a queue really had in some time.
type Measured struct {
	// Period is how long was looked at, Minutes in how many of its minutes jobs
	// arrived or ran.
	Period  time.Duration
	Minutes int
	// Jobs is how many runs there were.
	Jobs float64
	// PeakArrivals is how many jobs arrived a second in a busy minute: a high
	// percentile of all minutes, so that one odd minute does not decide.
	PeakArrivals job.Rate
	// Service is the mean time that a run took, WorstWait the longest wait.
	Service, WorstWait time.Duration
	// Refused is how many jobs were refused for want of room.
	Refused float64
}

// Least is what a comparison needs: fewer data say nothing.
const (
	LeastMeasuredJobs    = 100
	LeastMeasuredMinutes = 30
)

// A Fit is how a queue's declaration fits what was measured.
type Fit string

// The fits.
const (
	Fits       Fit = "fits"
	Oversized  Fit = "oversized"
	Undersized Fit = "undersized"
	// TooFew: there are too few data to say.
	TooFew Fit = "too few data"
)

// A Comparison holds a queue's declaration against what was measured.
type Comparison struct {
	Fit      Fit
	Measured Measured
	// Utilisation is how busy the declared workers were at the measured peak.
	Utilisation float64
	// Reasons say why, in words.
	Reasons []string
	// Suggested is the declaration with the measured numbers, and Plan what follows
	// from it, where the queue is over- or undersized. Err says why it makes no plan.
	Suggested job.Queue
	Plan      Plan
	Err       error
}

// Compare holds the plan against what was measured.
func (p Plan) Compare(m Measured) Comparison {
	c := Comparison{Fit: Fits, Measured: m, Utilisation: Utilisation(m.PeakArrivals, m.Service, p.Workers)}
	if m.Jobs < LeastMeasuredJobs || m.Minutes < LeastMeasuredMinutes {
		c.Fit = TooFew
		c.say("%s in %s of %s: at least %d in %d minutes are needed",
			Count(m.Jobs, "runs"), Count(float64(m.Minutes), "minutes"), Period(m.Period), LeastMeasuredJobs, LeastMeasuredMinutes)
		return c
	}
	c.small(p)
	if c.Fit == Fits {
		c.large(p)
	}
	if c.Fit != Fits {
		c.suggest(p)
	}
	return c
}

// small looks for signs that there are too few workers, or that a number is wrong.
func (c *Comparison) small(p Plan) {
	m := c.Measured
	if c.Utilisation > p.UtilisationAlarm {
		c.Fit = Undersized
		c.say("the workers were %.0f %% busy at the peak, and %.0f %% are aimed at", 100*c.Utilisation, 100*p.Queue.TargetUtilisation())
	}
	if m.WorstWait > p.Queue.LongestWait {
		c.Fit = Undersized
		c.say("a job waited %s, and LongestWait is %s", Period(m.WorstWait), Period(p.Queue.LongestWait))
		if c.Utilisation <= p.Queue.TargetUtilisation() {
			c.say("the workers were not busy enough to explain the wait: look for failures that are tried again, throttled functions, a relay that lags, or a shorter peak than a minute")
		}
	}
	if m.Refused > 0 {
		c.Fit = Undersized
		c.say("%s refused", Count(m.Refused, "jobs"))
	}
}

// large looks whether half the workers would do.
func (c *Comparison) large(p Plan) {
	q := p.Queue
	least := RoundWorkers(LeastWorkers(c.Measured.PeakArrivals, c.Measured.Service, q.TargetUtilisation()), q.Rounding)
	if needed := max(least, LeastConcurrency*q.SideBySide()); 2*needed <= p.Workers && c.Measured.WorstWait <= q.LongestWait/2 {
		c.Fit = Oversized
		c.say("%s would do, and there are %d", Count(float64(needed), "workers"), p.Workers)
	}
}

// suggest declares the queue anew, by the measured numbers: rounded up to two digits,
// since nobody declares more.
func (c *Comparison) suggest(p Plan) {
	q := p.Queue
	q.PeakArrivals = job.Rate(twoDigits(float64(c.Measured.PeakArrivals)))
	q.ServiceTime = duration(twoDigits(c.Measured.Service.Seconds()))
	if q.PeakArrivals == 0 {
		q.PeakArrivals = p.Queue.PeakArrivals
	}
	if q.ServiceTime == 0 {
		q.ServiceTime = p.Queue.ServiceTime
	}
	c.Suggested = q
	c.Plan, c.Err = For(q, p.Timeout)
}

func (c *Comparison) say(format string, args ...any) {
	c.Reasons = append(c.Reasons, fmt.Sprintf(format, args...))
}

// twoDigits rounds up to two digits: 17.3 is 18, 0.412 is 0.42.
func twoDigits(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	if unit == 0 { // x is as small as a number can be
		return x
	}
	up := math.Ceil(x/unit*(1-1e-12)) * unit
	if exact, err := strconv.ParseFloat(strconv.FormatFloat(up, 'g', 2, 64), 64); err == nil {
		return exact // 0.42, where up is 0.42000000000000004
	}
	return up
}
