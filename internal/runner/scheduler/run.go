package scheduler

import (
	"context"
	"slices"
	"sync"
	"time"
)

// longestSleep is after how long the machine's clock is looked at again: a machine that
// was asleep has timers that are late.
const longestSleep = 30 * time.Second

// Run fires until ctx ends or nothing is left to fire.
func (s *Schedule) Run(ctx context.Context) {
	if err := s.load(); err != nil {
		s.log("it does not run: %v", err)
		return
	}
	var handed sync.WaitGroup
	defer handed.Wait()
	hand := func(at time.Time) {
		// No flight of the clock begins before the target has it.
		release := s.config.Clock.Hold()
		handed.Go(func() { s.hand(ctx, at, release) })
	}
	for _, at := range slices.Clone(s.state.Pending) {
		hand(at)
	}
	last := s.state.Last
	release := s.config.Clock.Hold()
	defer func() { release() }()
	for {
		at, ok := s.next(last)
		if !ok {
			break
		}
		release()
		err := s.sleepUntil(ctx, at)
		release = s.config.Clock.Hold()
		if err != nil {
			return
		}
		at = s.latest(at)
		last = at
		if late := s.config.Now().Sub(at); late > s.config.Retry.Age {
			s.log("the occurrence of %s is passed over: it is %v old", stamp(at), late.Round(time.Second))
			if err := s.pass(at); err != nil {
				s.log("it stops: %v", err)
				return
			}
			continue
		}
		if err := s.begin(at); err != nil {
			s.log("it stops: %v", err)
			return
		}
		hand(at)
	}
	release()
	handed.Wait()
	if ctx.Err() == nil && s.config.Completed != nil {
		s.config.Completed()
	}
}

func (s *Schedule) sleepUntil(ctx context.Context, at time.Time) error {
	for {
		wait := at.Sub(s.config.Now())
		if wait <= 0 {
			return ctx.Err()
		}
		if s.config.Clock == nil {
			wait = min(wait, longestSleep)
		}
		if err := s.config.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// latest gives the latest occurrence that is due, where at is the earliest.
func (s *Schedule) latest(at time.Time) time.Time {
	passed := 0
	for {
		next, ok := s.next(at)
		if !ok || next.After(s.config.Now()) {
			break
		}
		at = next
		passed++
	}
	if passed > 0 {
		s.log("%d occurrences before that of %s are passed over: nobody was there to fire them", passed, stamp(at))
	}
	return at
}
