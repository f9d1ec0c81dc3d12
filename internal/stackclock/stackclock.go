// Package stackclock is how a local stack tells its clock to others: a small file that
// says how the stack's time follows from the machine's. internal/runner/clock writes it,
// functions read it through pkg/settings.
package stackclock

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"
)

// A Course is how the stack's time follows from the machine's: it was Stack when the
// machine's was Machine, passes Pace times as fast until it is Until, and from then on
// as the machine's does.
type Course struct {
	// Machine, Stack and Until are in nanoseconds since the epoch of Unix.
	Machine int64 `json:"machine"`
	Stack   int64 `json:"stack"`
	// Pace is 1 at least; at 1, Until means nothing.
	Pace  float64 `json:"pace"`
	Until int64   `json:"until,omitempty"`
	// Busy is a URL: while a request to it is open, the stack's time passes as the
	// machine's.
	Busy string `json:"busy,omitempty"`
}

// Natural begins a course that keeps pace with the machine.
func Natural(machine, stack time.Time) Course {
	return Course{Machine: machine.UnixNano(), Stack: stack.UnixNano(), Pace: 1}
}

// At gives the stack's time at a time of the machine. Before the course began it
// stands still, so that a machine whose clock is set back sets no stack back.
func (c Course) At(machine time.Time) time.Time {
	passed := max(machine.UnixNano()-c.Machine, 0)
	if c.Pace == 1 {
		return time.Unix(0, c.Stack+passed)
	}
	if float64(passed)*c.Pace < float64(c.Until-c.Stack) {
		return time.Unix(0, c.Stack+int64(float64(passed)*c.Pace))
	}
	return time.Unix(0, c.Until+max(passed-c.flight(), 0))
}

// flight is how long the machine takes until Until.
func (c Course) flight() int64 { return int64(math.Ceil(float64(c.Until-c.Stack) / c.Pace)) }

// When gives the first time of the machine at which the stack's is at least that.
func (c Course) When(stack time.Time) time.Time {
	at := stack.UnixNano()
	var passed int64
	switch {
	case c.Pace == 1:
		passed = at - c.Stack
	case at <= c.Until:
		passed = int64(math.Ceil(float64(at-c.Stack) / c.Pace))
	default:
		passed = c.flight() + at - c.Until
	}
	return time.Unix(0, c.Machine+max(passed, 0))
}

// check refuses what no stack writes.
func (c Course) check() error {
	if !(c.Pace >= 1) || math.IsInf(c.Pace, 0) || c.Pace > 1 && c.Until < c.Stack {
		return errors.New("it is no stack's clock")
	}
	return nil
}

// Read reads a file.
func Read(path string) (Course, error) {
	var c Course
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Course{}, fmt.Errorf("stackclock: reading %s: %w", path, err)
	}
	return c, nil
}

// Write replaces a file at once: whoever reads it finds the old course or the new one.
// One writer at a time.
func (c Course) Write(path string) error {
	text, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("stackclock: writing %s: %w", path, err)
	}
	return nil
}
