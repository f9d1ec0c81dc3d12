package deadletter

import (
	"context"
	"time"
)

// A pace spreads letters over time. It is for one goroutine.
type pace struct {
	gap  time.Duration
	next time.Time
}

// longestGap bounds the gap of a rate next to nothing.
const longestGap = 24 * time.Hour

// newPace keeps to a rate, in letters a second; zero means none.
func newPace(rate float64) pace {
	if rate == 0 {
		return pace{}
	}
	return pace{gap: time.Duration(min(float64(time.Second)/rate, float64(longestGap)))}
}

// renewEvery is how often a long wait stops to let the holds be renewed.
const renewEvery = 10 * time.Second

// wait waits for the next letter's turn and calls tick now and then. What was late
// is not made up for.
func (p *pace) wait(ctx context.Context, now time.Time, tick func()) error {
	if p.gap == 0 {
		return ctx.Err()
	}
	left := p.next.Sub(now)
	p.next = now.Add(max(left, 0) + p.gap)
	for ; left > 0; left -= renewEvery {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(left, renewEvery)):
		}
		tick()
	}
	return ctx.Err()
}
