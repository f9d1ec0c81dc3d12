package simulation

import "time"

// mostPoints bounds a series. When there are more, intervals are put together.
const mostPoints = 720

// intervals are those of a series, each a multiple of the one before, so that figures
// stand at times that people read.
var intervals = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute,
	30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour,
}

// longer gives the next interval, and how many of the one before make it up.
func longer(interval time.Duration) (time.Duration, int) {
	for _, next := range intervals {
		if next > interval {
			return next, int(next / interval)
		}
	}
	return 2 * interval, 2
}

// counters are what happened in an interval, in simulated jobs.
type counters struct {
	arrived, asked, accepted, refused, attempts, failed, done int
	running                                                   float64 // worker-seconds
	depth                                                     int     // the most that waited
	age                                                       time.Duration
}

// A sample is an interval's counters and what there was at its end.
type sampled struct {
	counters
	hidden, spilled, workers, away int
}

// A series is a run's course.
type series struct {
	interval time.Duration
	points   []sampled
	point    counters // of the interval that goes on
}

func newSeries() series { return series{interval: intervals[0]} }

// sample ends an interval.
func (w *world) sample() {
	if w.now > 0 {
		w.series.add(w.seen(), w.counts.visible)
	}
	w.events.push(w.now-w.now%w.series.interval+w.series.interval, samples, 0, 0)
}

func (w *world) seen() sampled {
	w.series.point.age = max(w.series.point.age, w.age())
	return sampled{
		counters: w.series.point, hidden: w.counts.hidden, spilled: w.spill.jobs.n, workers: w.pool.workers(), away: w.away,
	}
}

// add ends an interval; the next begins with so many messages that wait.
func (s *series) add(p sampled, depth int) {
	s.points, s.point = append(s.points, p), counters{depth: depth}
	if len(s.points) < mostPoints {
		return
	}
	next, of := longer(s.interval)
	s.points = together(s.points, of)
	s.interval = next
}

// together puts intervals together.
func together(points []sampled, of int) []sampled {
	var out []sampled
	for i := 0; i < len(points); i += of {
		last := min(i+of, len(points)) - 1
		sum := points[last]
		for _, p := range points[i:last] {
			sum.counters.plus(p.counters)
		}
		out = append(out, sum)
	}
	return out
}

func (c *counters) plus(o counters) {
	c.arrived += o.arrived
	c.asked += o.asked
	c.accepted += o.accepted
	c.refused += o.refused
	c.attempts += o.attempts
	c.failed += o.failed
	c.done += o.done
	c.running += o.running
	c.depth, c.age = max(c.depth, o.depth), max(c.age, o.age)
}
