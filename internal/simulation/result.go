package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A Result is what came of a run.
type Result struct {
	// Name is the configuration's.
	Name string
	// Plan is what the queue's declaration comes to; Bounded tells whether its
	// limit held.
	Plan    sizing.Plan
	Bounded bool
	// Lasted is when the run ended.
	Lasted time.Duration
	Totals Totals
	// Points is its course, of equal intervals save the last.
	Points []Point
}

// A Point is an interval. Counts are of what happened in it; all else is what there
// was at its end, save Depth and Age.
type Point struct {
	// At is its end, For how long it was.
	At, For time.Duration
	// Arrived jobs, requests Asked and of them Accepted and Refused; Attempts
	// begun, Failed and Done of them ended.
	Arrived, Asked, Accepted, Refused, Attempts, Failed, Done int
	// Depth is how many jobs a worker could take at the most, Delayed how many wait in the
	// queue for another attempt, Spilled how many lie in the table because it was
	// full. Away are refused clients who are going to be back.
	Depth, Delayed, Spilled, Away int
	// InProgress is how many runs there were on average, Workers how many there
	// could be.
	InProgress float64
	Workers    int
	// Age is how long a message had been visible at the most.
	Age time.Duration
}

func (w *world) result() *Result {
	scale := w.config.Scale
	totals := w.totals
	totals.Unfinished, totals.Away = w.unended, w.away
	totals.PeakAge = max(totals.PeakAge, w.age())
	totals = totals.times(scale)
	totals.Wait, totals.Ready = w.waits.spread(), w.readys.spread()
	r := &Result{
		Name: w.config.Name, Plan: w.plan, Bounded: !w.config.Unbounded, Lasted: w.now, Totals: totals,
	}
	points := w.series.points
	if w.now%w.series.interval != 0 || len(points) == 0 {
		points = append(points, w.seen())
	}
	for i, p := range points {
		r.Points = append(r.Points, p.point(time.Duration(i)*w.series.interval, w.now, w.series.interval, scale))
	}
	return r
}

func (p sampled) point(from, end, interval time.Duration, scale int) Point {
	lasts := min(interval, end-from)
	out := Point{
		At: from + lasts, For: lasts,
		Arrived: p.arrived * scale, Asked: p.asked * scale, Accepted: p.accepted * scale, Refused: p.refused * scale,
		Attempts: p.attempts * scale, Failed: p.failed * scale, Done: p.done * scale,
		Depth: p.depth * scale, Delayed: p.hidden * scale, Spilled: p.spilled * scale, Away: p.away * scale,
		Workers: p.workers * scale, Age: p.age,
	}
	if lasts > 0 {
		out.InProgress = p.running * float64(scale) / lasts.Seconds()
	}
	return out
}

// Course gives the points put together to intervals that people read, so that there
// are no more than most of them.
func (r *Result) Course(most int) []Point {
	if len(r.Points) <= max(most, 1) {
		return r.Points
	}
	interval := r.Points[0].For
	for r.Lasted > time.Duration(max(most, 1))*interval {
		interval, _ = longer(interval)
	}
	var out []Point
	for i, p := range r.Points {
		if begins := (p.At - p.For) % interval; i == 0 || begins == 0 {
			out = append(out, p)
			continue
		}
		out[len(out)-1] = out[len(out)-1].and(p)
	}
	return out
}

// and gives the interval of p and the one after it.
func (p Point) and(next Point) Point {
	sum := next
	sum.For = p.For + next.For
	sum.Depth, sum.Age = max(p.Depth, next.Depth), max(p.Age, next.Age)
	sum.InProgress = (p.InProgress*p.For.Seconds() + next.InProgress*next.For.Seconds()) / sum.For.Seconds()
	for _, n := range []struct{ sum, first *int }{
		{&sum.Arrived, &p.Arrived}, {&sum.Asked, &p.Asked}, {&sum.Accepted, &p.Accepted}, {&sum.Refused, &p.Refused},
		{&sum.Attempts, &p.Attempts}, {&sum.Failed, &p.Failed}, {&sum.Done, &p.Done},
	} {
		*n.sum += *n.first
	}
	return sum
}
