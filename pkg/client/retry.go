package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

// Defaults of a RetryPolicy.
const (
	DefaultAttempts    = 8
	DefaultLongestWait = 5 * time.Minute
	DefaultShare       = 0.1
	DefaultFloor       = 20
)

// DefaultBackoff gives the waits that no server prescribes.
var DefaultBackoff = backoff.Policy{Base: 500 * time.Millisecond, Floor: 50 * time.Millisecond, Cap: 20 * time.Second}

// A RetryPolicy says whether and when a request that failed for the moment is sent
// again. It is the rule alone: it sends nothing and waits for nobody, so that a
// simulation can go by it as well. The zero value of each field means its default. It
// holds no state and may be used by many goroutines.
type RetryPolicy struct {
	// Attempts is how often a request is sent at most; zero means
	// DefaultAttempts, 1 means no retries.
	Attempts int
	// Backoff gives the waits: exponential, with full jitter. The zero value
	// means DefaultBackoff.
	Backoff backoff.Policy
	// LongestWait is the longest that a server may ask for: who is told to wait
	// longer gives up and comes back by itself. Zero means DefaultLongestWait.
	LongestWait time.Duration
	// Share of the requests and Floor in a minute bound the retries that no
	// server asked for: see Budget. Zero means DefaultShare and DefaultFloor.
	Share float64
	Floor int
}

// An Answer is what came of one attempt, as far as a RetryPolicy decides by it.
type Answer struct {
	// Temporary tells whether the same request may be answered otherwise later:
	// there was no answer, or one of status 429, 500, 502, 503 or 504.
	Temporary bool
	// RetryAfter is how long the server asked to wait, where Asked is set (RFC
	// 9110, section 10.2.3).
	RetryAfter time.Duration
	Asked      bool
}

// A Step is what follows an attempt that failed.
type Step struct {
	// Again tells whether the request is sent again, after Wait.
	Again bool
	// Wait lies before the next attempt. Where there is none, it is when
	// somebody who has kept the work may come back.
	Wait time.Duration
	// Reason tells why there is none: NotTemporary, OutOfAttempts, OutOfTime or
	// OutOfBudget.
	Reason string
}

// Next tells what follows the attempt of that number, from 1. random gives numbers in
// [0, 1). A nil budget bounds nothing.
//
// The wait is drawn evenly from nothing to a bound that doubles with each attempt. A
// server's Retry-After is a floor, and the jitter comes on top of it: requests that
// were refused together do not come back together. A retry at a time that the server
// has named takes nothing from the budget; all others do, also those that it lets come
// back at once.
func (p RetryPolicy) Next(attempt int, a Answer, budget *Budget, random func() float64) Step {
	p = p.withDefaults()
	if !a.Temporary {
		return Step{Reason: NotTemporary}
	}
	asked := time.Duration(0)
	if a.Asked {
		asked = max(a.RetryAfter, 0)
	}
	gaveUp := func(reason string) Step {
		return Step{Reason: reason, Wait: later(asked, p.Backoff.After(max(attempt, p.Attempts), random))}
	}
	switch {
	case attempt >= p.Attempts:
		return gaveUp(OutOfAttempts)
	case asked > p.LongestWait:
		return gaveUp(OutOfTime)
	case asked == 0 && !budget.spend():
		return gaveUp(OutOfBudget)
	}
	return Step{Again: true, Wait: later(asked, p.Backoff.After(attempt, random))}
}

// later adds two waits and does not overflow.
func later(a, b time.Duration) time.Duration {
	if sum := a + b; sum >= a {
		return sum
	}
	return a
}

// Validate reports every setting that makes no sense.
func (p RetryPolicy) Validate() error {
	problems := []error{p.Backoff.Validate()}
	if p.Attempts < 0 {
		problems = append(problems, fmt.Errorf("client: Attempts is %d: it is 0 (the default) or more", p.Attempts))
	}
	if p.Floor < 0 {
		problems = append(problems, fmt.Errorf("client: Floor is %d: it is 0 (the default) or more", p.Floor))
	}
	if p.LongestWait < 0 {
		problems = append(problems, fmt.Errorf("client: LongestWait is %v: it is 0 (the default) or more", p.LongestWait))
	}
	if !(p.Share >= 0 && p.Share <= 1) {
		problems = append(problems, fmt.Errorf("client: Share is %v: it lies between 0 and 1", p.Share))
	}
	return errors.Join(problems...)
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts == 0 {
		p.Attempts = DefaultAttempts
	}
	if p.Backoff.Base == 0 && p.Backoff.Wait == nil {
		p.Backoff = DefaultBackoff
	}
	if p.LongestWait == 0 {
		p.LongestWait = DefaultLongestWait
	}
	if p.Share == 0 {
		p.Share = DefaultShare
	}
	if p.Floor == 0 {
		p.Floor = DefaultFloor
	}
	return p
}
