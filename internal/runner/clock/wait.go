package clock

import (
	"container/heap"
	"context"
	"time"
)

// longestSleep is after how long the machine's clock is looked at again: a machine that
// was asleep has timers that are late.
const longestSleep = 10 * time.Second

// A wait is somebody who waits for a time.
type wait struct {
	at    time.Time
	index int // in waits; -1 outside
	// wake is called once, with the mutex held and the clock at the machine's pace
	// until release is called.
	wake func(release func())
}

// waits is a heap, with the first time at its top.
type waits []*wait

func (w waits) Len() int           { return len(w) }
func (w waits) Less(i, j int) bool { return w[i].at.Before(w[j].at) }
func (w waits) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].index, w[j].index = i, j
}
func (w *waits) Push(x any) {
	x.(*wait).index = len(*w)
	*w = append(*w, x.(*wait))
}
func (w *waits) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	x.index = -1
	return x
}

// Sleep waits for d, or returns the context's error as soon as that ends.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if c == nil {
		return Sleep(ctx, d)
	}
	return c.Until(ctx, c.Now().Add(d))
}

// Until waits for a time, or returns the context's error as soon as that ends.
func (c *Clock) Until(ctx context.Context, at time.Time) error {
	if c == nil {
		return Sleep(ctx, time.Until(at))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	woken := make(chan func(), 1)
	w := &wait{at: at, wake: func(release func()) { woken <- release }}
	c.add(w)
	select {
	case release := <-woken:
		release() // from here on who waited is about to work, which Grace is for
		return nil
	case <-ctx.Done():
		if !c.remove(w) {
			(<-woken)()
		}
		return ctx.Err()
	}
}

// A Timer can be stopped: Stop tells whether that keeps it from firing.
type Timer interface{ Stop() bool }

// AfterFunc calls f in a goroutine of its own after d. The clock keeps the machine's pace
// until f returns.
func (c *Clock) AfterFunc(d time.Duration, f func()) Timer {
	if c == nil {
		return time.AfterFunc(d, f)
	}
	w := &wait{at: c.Now().Add(d), wake: func(release func()) {
		go func() {
			defer release()
			f()
		}()
	}}
	c.add(w)
	return timer{c, w}
}

type timer struct {
	clock *Clock
	wait  *wait
}

func (t timer) Stop() bool { return t.clock.remove(t.wait) }

// add lets somebody wait. A flight under way ends earlier, if need be.
func (c *Clock) add(w *wait) {
	c.mu.Lock()
	defer c.mu.Unlock()
	heap.Push(&c.waits, w)
	if w.index > 0 {
		return
	}
	if c.flies() && w.at.UnixNano() < c.course.Until {
		c.land()
		c.fly()
	}
	c.plan()
}

// remove takes somebody away who waits; false means that it was woken before.
func (c *Clock) remove(w *wait) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.index < 0 {
		return false
	}
	heap.Remove(&c.waits, w.index)
	return true
}

// plan sets the timer for what comes next: a time that somebody waits for, or the end of
// a leg.
func (c *Clock) plan() {
	if c.closed {
		return
	}
	machine, next := time.Now(), never
	if len(c.waits) > 0 {
		next = c.course.When(c.waits[0].at).Sub(machine)
	}
	if c.course.Pace > 1 {
		if end := c.course.When(time.Unix(0, c.course.Until)).Sub(machine); end > 0 {
			next = min(next, end)
		}
	}
	next = max(min(next, longestSleep), 0)
	if c.due == nil {
		c.due = time.AfterFunc(next, c.arrive)
		return
	}
	c.due.Reset(next)
}

// arrive wakes all whose time has come. Where nobody's has, the flight goes on.
func (c *Clock) arrive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	for len(c.waits) > 0 && !c.waits[0].at.After(c.now()) {
		heap.Pop(&c.waits).(*wait).wake(c.hold())
	}
	c.fly()
	c.plan()
}
