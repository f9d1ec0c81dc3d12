package simulation

import "time"

// A bucket lets so many a second pass, and a second's worth at once.
type bucket struct {
	rate, tokens float64
	filled       time.Duration
}

// newBucket makes a bucket that is full. A rate of zero lets everything pass.
func newBucket(rate float64) bucket { return bucket{rate: rate, tokens: max(rate, 1)} }

func (b *bucket) fill(now time.Duration) {
	b.tokens = min(b.tokens+b.rate*(now-b.filled).Seconds(), max(b.rate, 1))
	b.filled = now
}

// take tells whether one may pass now.
func (b *bucket) take(now time.Duration) bool {
	if b.rate == 0 {
		return true
	}
	if b.fill(now); b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// A relay publishes at a rate at most: who comes too soon waits for his turn.
type relay struct {
	rate float64
	free time.Duration // when it can publish the next
}

// publish gives when what is written now is published.
func (r *relay) publish(now time.Duration) time.Duration {
	if r.rate == 0 {
		return now
	}
	r.free = max(r.free, now) + time.Duration(float64(time.Second)/r.rate)
	return r.free
}
