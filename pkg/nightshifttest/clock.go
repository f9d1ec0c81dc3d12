package nightshifttest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A clock stands still, or goes on with another one, until it is moved.
type clock struct {
	// base is the other clock; nil for one that stands still.
	base func() time.Time

	mu sync.Mutex
	// at is what the clock shows, or how far it is ahead of base.
	at    time.Time
	ahead time.Duration
}

// Now gives the time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base == nil {
		return c.at
	}
	return c.base().Add(c.ahead).UTC()
}

// move puts the clock forward, never back.
func (c *clock) move(to time.Time) {
	d := to.Sub(c.Now())
	if d <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.ahead = c.at.Add(d), c.ahead+d
}

// A source is seeded randomness. It may be used by many goroutines.
type source struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newSource(seed, stream uint64) *source { return &source{r: rand.New(rand.NewPCG(seed, stream))} }

// Read fills p.
func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range p {
		p[i] = byte(s.r.Uint32())
	}
	return len(p), nil
}

func (s *source) float() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Float64()
}

func (s *source) pick(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.IntN(n)
}
