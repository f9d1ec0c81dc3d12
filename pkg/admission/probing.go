package admission

import "time"

// prober is the name that jobs carry which are to be confirmed.
const prober = "gate"

// How long a gate waits for the relay, beyond its window. Together with the interval of
// probes and that of readings they stay below ten seconds.
const (
	// patience is until a job that was to be confirmed is taken for one that may
	// never have been written: then the gate sends a probe of its own.
	patience = time.Second
	// certainty is until a probe that was certainly written, and is not confirmed,
	// closes the gate.
	certainty = 4 * time.Second
)

// lateAfter is until the relay is taken for late: what it was not seen to publish counts
// as waiting, beside what is in the queue.
const lateAfter = 2 * patience

// probing is what a gate knows of the relay besides its readings.
type probing struct {
	every, window time.Duration
	// last is when a job was last to be confirmed; waits tells that it was not yet.
	last  time.Time
	waits bool
}

// attach tells whether the job that is admitted now is to be confirmed.
func (p *probing) attach(r Reading, now time.Time) bool {
	if p.waits || now.Sub(p.last) < p.every || now.Sub(r.Relayed) < p.every {
		return false
	}
	// Rows have milliseconds: the job's time must not seem to lie before this one.
	p.last, p.waits = now.Truncate(time.Millisecond), true
	return true
}

// confirmed takes note of what a reading says.
func (p *probing) confirmed(r Reading) {
	if !r.Relayed.Before(p.last) {
		p.waits = false
	}
}

// due tells whether a probe of the gate's own is to be sent: the job's was not
// confirmed in time, or an earlier one was not and is to be followed by another.
func (p *probing) due(r Reading, now time.Time) bool {
	late := p.waits && now.Sub(p.last) >= p.window+patience
	return (late || r.Asked.After(r.Relayed)) && now.Sub(r.Probed) >= p.every
}

// late tells that what was to be confirmed is not, for longer than a relay takes that runs.
func (p *probing) late(r Reading, now time.Time) bool {
	return p.waits && now.Sub(p.last) >= p.window+lateAfter ||
		r.Asked.After(r.Relayed) && now.Sub(r.Asked) >= p.window+lateAfter
}

// dark tells that the relay does not publish what goes to the queue.
func (p *probing) dark(r Reading, now time.Time) bool {
	return r.Asked.After(r.Relayed) && now.Sub(r.Asked) >= p.window+certainty
}
