package admission

import "time"

// admitted counts the jobs that the last reading can't have seen.
type admitted struct {
	// settle is how long a job may take to show.
	settle time.Duration
	// reading is the number of that reading.
	reading int
	// fresh are those admitted since it, settling those so shortly before that they
	// may not have shown yet: of the intervals before, the latest at next-1.
	fresh    interval
	before   []interval
	next     int
	settling int
}

// An interval is the time between two readings.
type interval struct {
	jobs int
	// last is when the youngest of them was admitted.
	last time.Time
}

// mostIntervals bounds what is remembered, where readings are far more frequent than
// jobs settle.
const mostIntervals = 64

func newAdmitted(refresh, settle time.Duration) admitted {
	n := settle/max(refresh, 1) + 1
	return admitted{settle: settle, before: make([]interval, min(n, mostIntervals))}
}

func (a *admitted) add(now time.Time) {
	a.fresh.jobs++
	a.fresh.last = now
}

// rotate takes note of a new reading that was begun at a time.
func (a *admitted) rotate(reading int, at time.Time) {
	if reading == a.reading {
		return
	}
	a.before[a.next] = a.fresh
	a.next = (a.next + 1) % len(a.before)
	a.reading, a.fresh, a.settling = reading, interval{}, 0
	for _, i := range a.before {
		if at.Sub(i.last) < a.settle {
			a.settling += i.jobs
		}
	}
}

func (a *admitted) count() int { return a.fresh.jobs + a.settling }
