package admission

import "time"

// admitted counts the jobs that the last reading can't have seen.
type admitted struct {
	// reading is the number of that reading.
	reading int
	// fresh are those admitted since it, settling those before that may not have shown
	// yet: of the intervals before, the latest at next-1.
	fresh    interval
	before   []interval
	next     int
	settling int
}

// An interval is the time between two readings, where something was admitted in it.
type interval struct {
	jobs int
	// last is when the youngest of them was admitted.
	last time.Time
}

// mostIntervals bounds what is remembered, where readings are far more frequent than
// jobs settle.
const mostIntervals = 64

// newAdmitted remembers what was admitted in so long.
func newAdmitted(refresh, memory time.Duration) admitted {
	n := memory/max(refresh, 1) + 1
	return admitted{before: make([]interval, min(n, mostIntervals))}
}

func (a *admitted) add(now time.Time) {
	a.fresh.jobs++
	a.fresh.last = now
}

// rotate takes note of a new reading, in which jobs show that were admitted until a time.
func (a *admitted) rotate(reading int, shown time.Time) {
	if a.fresh.jobs > 0 {
		a.before[a.next] = a.fresh
		a.next = (a.next + 1) % len(a.before)
	}
	a.reading, a.fresh = reading, interval{}
	a.settling = a.after(shown)
}

// after counts those that are remembered and came after a time; some that came shortly
// before are among them.
func (a *admitted) after(at time.Time) int {
	jobs := a.fresh.jobs
	for _, i := range a.before {
		if i.last.After(at) {
			jobs += i.jobs
		}
	}
	return jobs
}

func (a *admitted) count() int { return a.fresh.jobs + a.settling }
