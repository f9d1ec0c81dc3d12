package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// errAsked is the error of flags of a run that would show nothing.
var errAsked = errors.New("it can't be judged")

const (
	// seen is how long a queue has to be full, so that there is something to judge.
	seen = 4 * time.Second
	// most bounds the load, and the requests of a run, all of which are kept.
	mostTimes, mostRequests = 100, 1e6
)

// check refuses a run that would show nothing, before it has written a file.
func (c config) check() error {
	_, plan, err := planOf(c.policy)
	if err != nil {
		return fmt.Errorf("%w: %w", errAsked, err)
	}
	above := 1.0
	if plan.Queue.Full == job.Degrade {
		above = degradedPace
	}
	if !(c.times > above && c.times <= mostTimes) {
		return fmt.Errorf("%w: -times is %v: more than %v, so that the queue fills, and at most %d", errAsked, c.times, above, mostTimes)
	}
	if least := c.least(plan); c.lasts < least {
		return fmt.Errorf("%w: -for is %v: %v at least, until the queue is full and was so for a while", errAsked, c.lasts, least)
	}
	if requests := c.times * float64(plan.DrainRate) * c.lasts.Seconds(); requests > mostRequests {
		return fmt.Errorf("%w: %.0f jobs would be asked for, and %.0f may be", errAsked, requests, float64(mostRequests))
	}
	return nil
}

// degradedPace is how many times as many jobs are finished where they are degraded
// (package work).
const degradedPace = 2

// least is how long a run takes at least: until workers and memory are what they stay
// at and the queue is full, and a while more; and where the relay stops, until that is
// noticed in each third.
func (c config) least(plan sizing.Plan) time.Duration {
	drain, limit := float64(plan.DrainRate), float64(plan.Limit)
	grows := (c.times - 1) * drain
	full := limit / grows
	switch plan.Queue.Full {
	case job.Degrade:
		normal := float64(sizing.DegradeAt(plan.Limit))
		full = normal/grows + (limit-normal)/((c.times-degradedPace)*drain)
	case job.Spill:
		full = 0 // nobody is refused
	}
	least := max(warm, time.Duration(math.Ceil(full))*time.Second) + seen
	if c.relayStops {
		least = max(least, 3*(noticeWithin+seen))
	}
	return least
}
