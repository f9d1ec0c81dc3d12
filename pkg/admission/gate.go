package admission

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// LongestRetryAfter bounds Decision.RetryAfter: nobody waits longer, and load
// changes sooner.
const LongestRetryAfter = 10 * time.Minute

// A Gate admits work to one queue. It may be used by many goroutines.
type Gate struct {
	limit, mark int
	drain       job.Rate
	blind       time.Duration
	settle      time.Duration
	now         func() time.Time
	random      func() float64
	meter       meter

	mu     sync.Mutex
	closed bool
	since  admitted
}

// New makes a gate, open. It reports every mistake in the configuration at once.
func New(c Config) (*Gate, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	g := &Gate{
		limit: c.Limit, mark: c.Limit - max(c.Limit/20, 1), drain: c.DrainRate,
		blind: orDefault(c.Blind, max(DefaultBlind, c.Refresh)), settle: orDefault(c.Settle, DefaultSettle),
		now: c.Now, random: c.Random,
	}
	if g.now == nil {
		g.now = time.Now
	}
	if g.random == nil {
		g.random = rand.Float64
	}
	g.meter = meter{
		read: c.Depth, now: g.now,
		refresh: orDefault(c.Refresh, DefaultRefresh), timeout: orDefault(c.Timeout, DefaultTimeout),
	}
	return g, nil
}

// Mark is the depth to which the queue must fall before a closed gate opens: a
// twentieth below the limit, at least one job.
func (g *Gate) Mark() int { return g.mark }

// Admit decides on one job. Where it answers yes the job is counted: the caller
// enqueues it. Where ctx ends while the depth is being read, the decision rests
// on the reading before.
func (g *Gate) Admit(ctx context.Context) Decision {
	return g.decide(ctx, 1)
}

// Check decides as Admit does and counts nothing: for work that precedes a job,
// such as an upload.
func (g *Gate) Check(ctx context.Context) Decision {
	return g.decide(ctx, 0)
}

func (g *Gate) decide(ctx context.Context, jobs int) Decision {
	reading := g.meter.get(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.since.rotate(reading.number, now, g.settle)
	d := Decision{Limit: g.limit, Depth: reading.depth + g.since.count(), Err: reading.err}
	if reading.number == 0 || reading.err != nil && now.Sub(reading.at) > g.blind {
		d.Reason, d.RetryAfter = Unknown, g.spread(g.meter.refresh)
		return d
	}
	if d.Depth >= g.limit {
		g.closed = true
	} else if d.Depth <= g.mark {
		g.closed = false
	}
	if g.closed {
		d.Reason, d.RetryAfter = Full, g.spread(g.untilMark(d.Depth))
		return d
	}
	d.Admitted = true
	if jobs > 0 {
		g.since.add(jobs, now)
	}
	return d
}

// untilMark is how long the workers take to bring the depth down to the mark.
func (g *Gate) untilMark(depth int) time.Duration {
	seconds := float64(depth-g.mark) / float64(g.drain)
	return time.Duration(min(seconds, LongestRetryAfter.Seconds()) * float64(time.Second))
}

// spread lengthens a wait by up to a half, so that those who were refused
// together don't come back together, and rounds it up to whole seconds.
func (g *Gate) spread(wait time.Duration) time.Duration {
	seconds := max(wait.Seconds(), 1) * (1 + g.random()/2)
	return min(time.Duration(math.Ceil(seconds))*time.Second, LongestRetryAfter)
}

// admitted counts the jobs that the last reading can't have seen.
type admitted struct {
	// reading is the number of that reading.
	reading int
	// fresh were admitted since it, settling between it and the one before:
	// they may not have reached the queue when it was read.
	fresh, settling int
	// last is when the youngest of them was admitted.
	last time.Time
}

func (a *admitted) add(jobs int, now time.Time) {
	a.fresh += jobs
	a.last = now
}

// rotate takes note of a new reading.
func (a *admitted) rotate(reading int, now time.Time, settle time.Duration) {
	if reading == a.reading {
		return
	}
	a.reading, a.settling, a.fresh = reading, a.fresh, 0
	if now.Sub(a.last) > settle {
		a.settling = 0
	}
}

func (a *admitted) count() int { return a.fresh + a.settling }
