package admission

import (
	"context"
	"time"
)

// A meter reads what is known of a queue once an interval at most, for all who ask at
// once. The gate's lock guards it.
type meter struct {
	believed belief
	// heard is when the last reading began that did not fail, err why the last one
	// failed.
	heard time.Time
	err   error
	// tried is when the last reading began; pending is closed when the one under
	// way ends.
	tried   time.Time
	pending chan struct{}
}

// refresh sees to a reading that is at most the interval old, where it can be had. It
// waits for the reading under way, or makes one, until ctx ends, and gives the time. It
// is called with the lock, and lets go of it meanwhile.
func (g *Gate) refresh(ctx context.Context) time.Time {
	if g.meter.pending == nil {
		now := g.config.Now()
		if !g.meter.tried.IsZero() && now.Sub(g.meter.tried) < g.config.Refresh {
			return now
		}
		g.meter.tried, g.meter.pending = now, make(chan struct{})
		if g.config.Inline {
			g.mu.Unlock()
			g.read(ctx)
			g.mu.Lock()
			return g.config.Now()
		}
		// The reading is everybody's: it outlives the caller that began it.
		go func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, g.config.Timeout)
			defer cancel()
			g.read(ctx)
		}(context.WithoutCancel(ctx))
	}
	pending := g.meter.pending
	g.mu.Unlock()
	select {
	case <-pending:
	case <-ctx.Done():
	}
	g.mu.Lock()
	return g.config.Now()
}

// read makes the reading that is pending, and sends a probe where one is due.
func (g *Gate) read(ctx context.Context) {
	began := g.config.Now()
	r, err := g.config.Look(ctx)
	g.mu.Lock()
	if g.meter.err = err; err == nil {
		g.meter.heard = began
		g.probing.confirmed(r)
		g.meter.believed.hear(r, began, g.unrelayed(r, began))
	}
	probe := err == nil && g.config.Probe != nil && g.probing.due(r, g.config.Now())
	g.mu.Unlock()
	if probe {
		err = g.config.Probe(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if probe && err != nil {
		g.meter.err = err
	}
	close(g.meter.pending)
	g.meter.pending = nil
}
