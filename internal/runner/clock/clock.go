// Package clock is the clock of a local stack, whose time can pass faster than the
// machine's.
//
// A clock that merely ran faster would break real work: at 600 an invocation of 50 ms
// would take 30 s of its lease, and a timeout of a minute would end after 100 ms. So
// this one flies while nobody works and keeps pace with the machine while somebody
// does. Those who work say so (Hold); those who wait for a time wait here (Sleep,
// AfterFunc, Until). A flight ends at the next time that somebody waits for, and not
// beyond, so that what is due is done at its time whatever the scale. After every work
// and every wait a moment passes at the machine's pace (Grace), in which what follows
// can begin.
//
// Functions are other processes: they read the clock's course from a file (package
// stackclock), which is written at each change.
package clock

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
)

// MaxScale bounds how many times as fast as the machine's a stack's time passes.
const MaxScale = 100_000

// DefaultGrace is the pause between the end of all work and the next flight: a message
// that was received is on its way to a function, an answer on its way to its client.
const DefaultGrace = 5 * time.Millisecond

// leg is how long a flight is at most, in the machine's time. A process that is killed in
// flight leaves a course behind that flies no further.
const leg = time.Second

// horizon is where flights end for good: beyond the years that nanoseconds can count
// and that AWS's formats know.
var horizon = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// ErrScale means that a scale is not within 1 and MaxScale.
var ErrScale = errors.New("clock: the time scale is out of bounds")

// Config sets a Clock up.
type Config struct {
	// Path is the file that tells the clock to other processes, and from which a
	// later clock goes on. Required.
	Path string
	// Scale is how many times as fast the time passes while nobody works; 1 to
	// MaxScale, zero means 1.
	Scale float64
	// Busy is the URL that stands in the file; see stackclock.Course.
	Busy string
	// Grace is the pause before a flight; zero means DefaultGrace.
	Grace time.Duration
	// Log takes what people should know; nil drops it.
	Log func(message string)
}

// A Clock tells a stack's time. Its methods are safe for concurrent use. The nil Clock is
// the machine's, and costs nothing.
type Clock struct {
	config Config

	mu     sync.Mutex
	course stackclock.Course
	latest time.Time // given by Now
	past   []stackclock.Course
	holds  int
	waits  waits
	due    *time.Timer // for the first of waits, or the end of a leg
	rest   *time.Timer // until the next flight
	rests  time.Time   // the machine's time until which no flight begins
	failed bool        // the file could not be written
	closed bool
}

// CheckScale gives an error that wraps ErrScale where no clock can have that scale.
func CheckScale(scale float64) error {
	if !(scale >= 1 && scale <= MaxScale) { // NaN is neither
		return fmt.Errorf("%w: %v is not within 1 and %d", ErrScale, scale, MaxScale)
	}
	return nil
}

// Open makes the clock of a stack. It begins with the machine's time, or goes on from
// where an earlier clock's file is by now, so that it is never behind what the stack's
// data tells. Where it would be the machine's, it is nil.
func Open(config Config) (*Clock, error) {
	if config.Scale == 0 {
		config.Scale = 1
	}
	if config.Grace == 0 {
		config.Grace = DefaultGrace
	}
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if err := CheckScale(config.Scale); err != nil {
		return nil, err
	}
	machine := time.Now()
	stack, err := resume(config.Path, machine)
	if err != nil {
		return nil, err
	}
	if config.Scale == 1 && !stack.After(machine) {
		return nil, remove(config.Path)
	}
	c := &Clock{config: config, latest: stack}
	if err := c.follow(stackclock.Natural(machine, stack)); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calm()
	return c, nil
}

// Now gives the stack's time. It never goes back.
func (c *Clock) Now() time.Time {
	if c == nil {
		return time.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if t := c.course.At(time.Now()); t.After(c.latest) {
		c.latest = t
	}
	return c.latest
}

// Hold keeps the clock at the machine's pace until release is called, once or more
// often. Take it for as long as somebody works.
func (c *Clock) Hold() (release func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hold()
}

func (c *Clock) hold() (release func()) {
	c.holds++
	if c.flies() {
		c.land()
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holds--; c.holds == 0 {
			c.calm()
		}
	})
}

// flies tells whether the time passes faster than the machine's.
func (c *Clock) flies() bool {
	return c.course.Pace > 1 && c.course.At(time.Now()).UnixNano() < c.course.Until
}

// land ends a flight.
func (c *Clock) land() {
	machine := time.Now()
	c.turn(stackclock.Natural(machine, c.course.At(machine)))
}

// calm begins the pause before the next flight.
func (c *Clock) calm() {
	if c.closed || c.config.Scale == 1 {
		return
	}
	c.rests = time.Now().Add(c.config.Grace)
	if c.rest == nil {
		c.rest = time.AfterFunc(c.config.Grace, c.rested)
		return
	}
	c.rest.Reset(c.config.Grace)
}

func (c *Clock) rested() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fly()
}

// fly begins a flight to the next time that somebody waits for, unless somebody works
// or did a moment ago.
func (c *Clock) fly() {
	machine := time.Now()
	if c.closed || c.holds > 0 || c.config.Scale == 1 || machine.Before(c.rests) || c.flies() {
		return
	}
	stack := c.now()
	until := stack.Add(time.Duration(c.config.Scale * float64(leg)))
	if len(c.waits) > 0 && c.waits[0].at.Before(until) {
		until = c.waits[0].at
	}
	if until.After(horizon) {
		until = horizon
	}
	if until.After(stack) {
		c.turn(stackclock.Course{Machine: machine.UnixNano(), Stack: stack.UnixNano(), Pace: c.config.Scale, Until: until.UnixNano()})
	}
}

// turn follows another course, or where that can't be told to the functions goes on as
// it was, with them.
func (c *Clock) turn(next stackclock.Course) {
	err := c.follow(next)
	if err != nil && !c.failed {
		c.config.Log("the stack's clock can't change its pace: " + err.Error())
	}
	c.failed = err != nil
	c.plan()
}

func (c *Clock) follow(next stackclock.Course) error {
	next.Busy = c.config.Busy
	if err := next.Write(c.config.Path); err != nil {
		return err
	}
	c.course = next
	c.remember(next)
	return nil
}

// A Reading is what a clock shows.
type Reading struct {
	// Now is the stack's time.
	Now time.Time `json:"now"`
	// Scale is how many times as fast as the machine's it passes while nobody
	// works, Pace how many times as fast it passes now.
	Scale float64 `json:"scale"`
	Pace  float64 `json:"pace"`
}

// Read gives what the clock shows.
func (c *Clock) Read() Reading {
	if c == nil {
		return Reading{Now: time.Now(), Scale: 1, Pace: 1}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Reading{Now: c.now(), Scale: c.config.Scale, Pace: 1}
	if c.flies() {
		r.Pace = c.course.Pace
	}
	return r
}

// Path gives the file that tells the clock; "" for the machine's.
func (c *Clock) Path() string {
	if c == nil {
		return ""
	}
	return c.config.Path
}

// Close ends flights; who waits goes on waiting until its context ends.
func (c *Clock) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	for _, timer := range []*time.Timer{c.due, c.rest} {
		if timer != nil {
			timer.Stop()
		}
	}
	machine := time.Now()
	return c.follow(stackclock.Natural(machine, c.course.At(machine)))
}

// Sleep waits for d by the machine's clock, or returns the context's error as soon as
// that ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// never is a wait without end.
const never = time.Duration(math.MaxInt64)
