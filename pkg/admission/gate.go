package admission

import (
	"context"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// LongestRetryAfter bounds Decision.RetryAfter: nobody waits longer, and load
// changes sooner.
const LongestRetryAfter = sizing.MostRetryAfter

// A Gate admits work to one queue. It may be used by many goroutines.
type Gate struct {
	config Config

	mu      sync.Mutex
	meter   meter
	probing probing
	since   admitted
	// valves are the thresholds that were asked for so far: the limit's first. degrade is
	// the place of that of degrading, where the queue does: the first, too, where the
	// limit is one job.
	valves  []valve
	degrade int
	// measured is the number of the reading that was measured last.
	measured int
}

// full is the place of the limit's valve.
const full = 0

// New makes a gate, open. It reports every mistake in the configuration at once.
func New(c Config) (*Gate, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	g := &Gate{config: c, probing: probing{every: c.ProbeEvery, window: c.Window}, since: newAdmitted(c.Refresh, c.Settle+c.ProbeEvery+c.Window+certainty)}
	g.meter.believed = belief{drain: c.DrainRate, doubt: c.Doubt, longest: c.LongestWait, past: newPast(c.LongestWait)}
	g.valve(1)
	if c.Full == job.Degrade {
		g.degrade = g.valve(degradeShare(c.Limit))
	}
	return g, nil
}

// valve gives the place of the valve of a share.
func (g *Gate) valve(share float64) int {
	for i := range g.valves {
		if g.valves[i].share == share {
			return i
		}
	}
	g.valves = append(g.valves, newValve(share, g.config.Limit, g.config.LongestWait))
	return len(g.valves) - 1
}

// Queue is the name of the queue that the gate is before.
func (g *Gate) Queue() string { return g.config.Queue }

// Mark is the depth to which the queue must fall before a closed gate opens: a
// twentieth below the limit, at least one job.
func (g *Gate) Mark() int { return sizing.Mark(g.config.Limit) }

// Admit decides on one job. Where it answers yes the job is counted: the caller
// enqueues it, with Decision.Options. Where ctx ends while the queue is being read,
// the decision rests on the reading before.
func (g *Gate) Admit(ctx context.Context) Decision {
	return g.decide(ctx, job.Policy{}, true)
}

// AdmitFor is Admit for a job of a policy, which may be of a class that is shed before
// others are (Policy.ShedAt).
func (g *Gate) AdmitFor(ctx context.Context, policy job.Policy) Decision {
	return g.decide(ctx, policy, true)
}

// Check decides as Admit does and counts nothing: for work that precedes a job,
// such as an upload.
func (g *Gate) Check(ctx context.Context) Decision {
	return g.decide(ctx, job.Policy{}, false)
}

func (g *Gate) decide(ctx context.Context, policy job.Policy, counts bool) Decision {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.refresh(ctx)
	believed := &g.meter.believed
	if believed.number != g.since.reading {
		g.since.rotate(believed.number, g.shown(believed.reading, believed.at))
	}
	d := Decision{
		Limit: g.config.Limit, Depth: believed.reading.Depth + g.since.count(),
		Age: believed.reading.Age(now), Err: g.meter.err,
	}
	at := full
	if policy.ShedAt > 0 && policy.ShedAt < 1 {
		at = g.valve(policy.ShedAt)
	}
	seen := believed.sight(d.Depth, now)
	for i := range g.valves {
		g.valves[i].see(seen)
	}
	g.judge(&d, at, seen, now)
	if counts && d.Admitted && (d.Form == Whole || d.Form == Degraded) {
		g.since.add(now)
		d.probe = g.config.Probe != nil && g.probing.attach(believed.reading, now)
	}
	if counts && g.config.Metrics != nil {
		g.measure(ctx, &d)
	}
	return d
}

// shown is until when jobs were admitted that show in a reading which was begun at a time:
// those that had time to. While the relay is late it is what the relay has confirmed.
func (g *Gate) shown(r Reading, at time.Time) time.Time {
	shown := at.Add(-g.config.Settle)
	if g.late(r, at) && r.Relayed.Before(shown) {
		return r.Relayed
	}
	return shown
}

func (g *Gate) late(r Reading, at time.Time) bool {
	return g.config.Probe != nil && g.probing.late(r, at)
}

// unrelayed is how many jobs wait for a relay that is late, by the time of a reading.
func (g *Gate) unrelayed(r Reading, at time.Time) int {
	if !g.late(r, at) {
		return 0
	}
	return g.since.after(r.Relayed)
}

// judge decides by what is known, and by the valve of the work's class.
func (g *Gate) judge(d *Decision, at int, seen sight, now time.Time) {
	believed := &g.meter.believed
	wait := g.valves[at].open(seen, float64(g.config.DrainRate))
	switch {
	case believed.number == 0 || g.meter.err != nil && now.Sub(g.meter.heard) > g.config.Blind:
		d.Reason, wait = Unknown, g.config.Refresh
	case g.config.Probe != nil && g.probing.dark(believed.reading, now):
		d.Reason, wait = Unrelayed, g.config.Window+certainty
	case g.valves[at].shut:
		g.overflow(d, at)
	case g.config.Full == job.Degrade && g.valves[g.degrade].shut:
		d.Admitted, d.Form = true, Degraded
	default:
		d.Admitted = true
	}
	d.RetryAfter = sizing.Spread(wait, g.config.Random())
}

// overflow says what becomes of work for a queue that is full to it.
func (g *Gate) overflow(d *Decision, at int) {
	switch g.config.Full {
	case job.Spill:
		d.Admitted, d.Form = true, Spilled
	case job.Replace:
		d.Admitted, d.Form = true, Replacing
	default:
		if d.Reason = Full; at != full && !g.valves[full].shut {
			d.Reason = Shed
		}
	}
}
