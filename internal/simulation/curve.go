package simulation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Curve is a rate over time that changes in steps. Before its first step it is zero.
type Curve struct {
	// Steps are in the order of their times.
	Steps []Step
	// Period repeats the steps, where it is not zero; they lie within it.
	Period time.Duration
}

// A Step is the rate from a time on.
type Step struct {
	From time.Duration
	Rate job.Rate
}

// Steady is the same rate at all times.
func Steady(rate job.Rate) Curve { return Curve{Steps: []Step{{0, rate}}} }

// Spike is a rate that is another for a while.
func Spike(usual job.Rate, from, length time.Duration, spike job.Rate) Curve {
	return Steady(usual).With(from, length, spike)
}

// With gives the curve with another rate for a while.
func (c Curve) With(from, length time.Duration, rate job.Rate) Curve {
	after, _ := c.at(from + length)
	kept := slices.DeleteFunc(slices.Clone(c.Steps), func(s Step) bool { return s.From >= from && s.From <= from+length })
	steps := append(kept, Step{from, rate}, Step{from + length, after})
	slices.SortStableFunc(steps, func(a, b Step) int { return int(a.From - b.From) })
	return Curve{Steps: steps, Period: c.Period}
}

// Daily is a wave that repeats each day: least twelve hours from the peak, which is at
// a time of the day.
func Daily(least, most job.Rate, peak time.Duration) Curve {
	const day, step = 24 * time.Hour, 15 * time.Minute
	c := Curve{Period: day}
	for at := time.Duration(0); at < day; at += step {
		turn := 2 * math.Pi * (at + step/2 - peak).Hours() / 24
		c.Steps = append(c.Steps, Step{at, least + (most-least)*job.Rate((1+math.Cos(turn))/2)})
	}
	return c
}

// at gives the rate at a time, and when it changes.
func (c Curve) at(t time.Duration) (rate job.Rate, until time.Duration) {
	base := time.Duration(0)
	if c.Period > 0 {
		base = t / c.Period * c.Period
	}
	after, found := slices.BinarySearchFunc(c.Steps, t-base, func(s Step, t time.Duration) int { return int(s.From - t) })
	if found {
		after++
	}
	switch {
	case after < len(c.Steps):
		until = base + c.Steps[after].From
	case c.Period > 0:
		until = base + c.Period
	default:
		until = math.MaxInt64
	}
	if after == 0 {
		return 0, until
	}
	return c.Steps[after-1].Rate, until
}

// after gives the time by which the curve has brought amount more jobs than at t, and
// false where it does not before the limit.
func (c Curve) after(t time.Duration, amount float64, limit time.Duration) (time.Duration, bool) {
	for t < limit {
		rate, until := c.at(t)
		if brings := float64(rate) * (min(until, limit) - t).Seconds(); brings < amount {
			amount -= brings
			t = min(until, limit)
			continue
		}
		return t + time.Duration(amount/float64(rate)*float64(time.Second)), true
	}
	return limit, false
}

// jobs is how many the curve brings in a time, in all.
func (c Curve) jobs(in time.Duration) float64 {
	sum := 0.0
	for t := time.Duration(0); t < in; {
		rate, until := c.at(t)
		until = min(until, in)
		sum += float64(rate) * (until - t).Seconds()
		t = until
	}
	return sum
}

func (c Curve) validate() error {
	var problems []error
	if len(c.Steps) == 0 {
		problems = append(problems, errors.New("no arrivals: say how many there are"))
	}
	for i, s := range c.Steps {
		if !(s.Rate >= 0) || math.IsInf(float64(s.Rate), 0) {
			problems = append(problems, fmt.Errorf("arrivals at %v: %v a second", s.From, float64(s.Rate)))
		}
		if s.From < 0 || c.Period > 0 && s.From >= c.Period || i > 0 && s.From <= c.Steps[i-1].From {
			problems = append(problems, fmt.Errorf("arrivals at %v: out of order", s.From))
		}
	}
	return errors.Join(problems...)
}

// scaled divides the curve's rates.
func (c Curve) scaled(by float64) Curve {
	steps := slices.Clone(c.Steps)
	for i := range steps {
		steps[i].Rate /= job.Rate(by)
	}
	return Curve{Steps: steps, Period: c.Period}
}
