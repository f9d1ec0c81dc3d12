// Package backoff computes how long to wait before an attempt is repeated.
//
// Waits grow exponentially up to a cap and are spread by full jitter: a wait is
// drawn evenly from zero to the exponential bound, so that jobs which failed
// together do not come back together. A floor keeps a wait from being zero.
package backoff

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Defaults of a Policy. With them the waits between 25 attempts add up to about
// three weeks on average: time enough to notice a fault and ship a mend.
const (
	DefaultBase   = 15 * time.Second
	DefaultFactor = 2.0
	DefaultFloor  = time.Second
	DefaultCap    = 96 * time.Hour
)

// A Policy describes the waits between attempts. The zero value means the
// defaults. It holds no state and may be used by many goroutines.
type Policy struct {
	// Base is the bound of the first wait; zero means DefaultBase.
	Base time.Duration
	// Factor multiplies the bound at each further attempt; zero means
	// DefaultFactor. It is at least 1.
	Factor float64
	// Floor is the shortest wait; zero means DefaultFloor.
	Floor time.Duration
	// Cap is the longest wait; zero means DefaultCap.
	Cap time.Duration
	// Wait, if set, replaces the formula: it is given the number of the
	// attempt that just failed, from 1. Floor and Cap still hold.
	Wait func(attempt int) time.Duration
}

// Validate reports every setting that makes no sense.
func (p Policy) Validate() error {
	d := p.withDefaults()
	var problems []error
	if p.Base < 0 {
		problems = append(problems, fmt.Errorf("backoff: base %v is negative", p.Base))
	}
	if d.Factor < 1 || math.IsNaN(d.Factor) || math.IsInf(d.Factor, 0) {
		problems = append(problems, fmt.Errorf("backoff: factor %v: it must be a number of at least 1", p.Factor))
	}
	if p.Floor < 0 {
		problems = append(problems, fmt.Errorf("backoff: floor %v is negative", p.Floor))
	}
	if d.Cap < d.Floor {
		problems = append(problems, fmt.Errorf("backoff: cap %v is below the floor %v", d.Cap, d.Floor))
	}
	return errors.Join(problems...)
}

// After gives the wait after attempt number attempt (from 1) has failed. random
// gives a number in [0, 1); it decides where in the range the wait falls.
// No attempt number overflows, and no wait lies outside [Floor, Cap].
func (p Policy) After(attempt int, random func() float64) time.Duration {
	p = p.withDefaults()
	if p.Wait != nil {
		return p.clamp(p.Wait(attempt))
	}
	return p.clamp(time.Duration(random() * float64(p.bound(attempt))))
}

// Longest gives the greatest wait that After can answer for this attempt.
func (p Policy) Longest(attempt int) time.Duration {
	p = p.withDefaults()
	if p.Wait != nil {
		return p.clamp(p.Wait(attempt))
	}
	return p.clamp(p.bound(attempt))
}

// bound is the exponential bound, computed in floating point and compared
// before it is made a Duration, so that large attempts can't overflow.
func (p Policy) bound(attempt int) time.Duration {
	bound := float64(p.Base) * math.Pow(p.Factor, float64(max(attempt, 1)-1))
	if bound >= float64(p.Cap) {
		return p.Cap
	}
	return time.Duration(bound)
}

func (p Policy) clamp(wait time.Duration) time.Duration {
	return min(max(wait, p.Floor), p.Cap)
}

func (p Policy) withDefaults() Policy {
	if p.Base == 0 {
		p.Base = DefaultBase
	}
	if p.Factor == 0 {
		p.Factor = DefaultFactor
	}
	if p.Floor == 0 {
		p.Floor = DefaultFloor
	}
	if p.Cap == 0 {
		p.Cap = DefaultCap
	}
	return p
}
