package clock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
)

// memory is how long the courses of the past are kept: as long as a presigned URL may
// hold.
const memory = 7 * 24 * time.Hour

// resume gives the time that an earlier clock's file tells by now, or the machine's.
func resume(path string, machine time.Time) (time.Time, error) {
	course, err := stackclock.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return machine, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("clock: how far the stack's time was is not known; without the file it would begin with the machine's, behind the stack's data: %w", err)
	}
	stack := course.At(machine)
	if stack.Before(machine) {
		stack = machine
	}
	return stack, nil
}

// remove removes the file of an earlier clock that the machine's has caught up with.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clock: %w", err)
	}
	return nil
}

// remember keeps a course, the last one of each second.
func (c *Clock) remember(next stackclock.Course) {
	if last := len(c.past) - 1; last >= 0 && second(c.past[last]) == second(next) {
		c.past[last] = next
		return
	}
	if len(c.past) == cap(c.past) { // before it grows
		oldest := next.Machine - int64(memory)
		c.past = slices.DeleteFunc(c.past, func(old stackclock.Course) bool { return old.Machine < oldest })
	}
	c.past = append(c.past, next)
}

func second(c stackclock.Course) int64 { return c.Machine / int64(time.Second) }

// Then gives the stack's time at the end of a second of the machine's, at most Now. It is
// for what carries the machine's time, to the second: signatures of AWS. Times before the
// clock began count as if it had kept pace with the machine then.
func (c *Clock) Then(machine time.Time) time.Time {
	if c == nil {
		return machine
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	end := machine.Truncate(time.Second).Add(time.Second)
	at, _ := slices.BinarySearchFunc(c.past, end.UnixNano(), func(course stackclock.Course, end int64) int {
		if course.Machine < end {
			return -1
		}
		return 1
	})
	if at == 0 {
		first := c.past[0]
		return time.Unix(0, first.Stack).Add(machine.Sub(time.Unix(0, first.Machine)))
	}
	then, now := c.past[at-1].At(end), c.now()
	if then.After(now) {
		// Up to now, and as far beyond as the time given is.
		return now.Add(max(time.Until(machine), 0))
	}
	return then
}
