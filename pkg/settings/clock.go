package settings

import (
	"fmt"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
)

// Clock is the path of a file with the time of a local stack, which `nightshift dev`
// sets where that time is not the machine's (--time-scale). In AWS it is not set.
const Clock = "NIGHTSHIFT_CLOCK"

// Now gives the clock that everything with a field Now is to be given, so that a
// function can run in a stack whose time is scaled: time.Now, unless Clock is set. A file
// that can't be read is noted. The clock never goes back and may be used by many
// goroutines. Deadlines of contexts stay the machine's.
func (r *Reader) Now() func() time.Time {
	path := r.getenv(Clock)
	if path == "" {
		return time.Now
	}
	now, err := stackclock.Follow(path)
	if err != nil {
		r.missing = append(r.missing, fmt.Errorf("settings: %s: %w", Clock, err))
		return time.Now
	}
	return now
}

// Busy gives what a process that is no Lambda function calls while it works, for
// worker.PollConfig: a stack whose time is scaled lets it pass as the machine's until
// done is called, or the process ends. Nil, unless Clock is set.
func (r *Reader) Busy() func() (done func()) {
	path := r.getenv(Clock)
	if path == "" {
		return nil
	}
	course, err := stackclock.Read(path)
	if err != nil {
		r.missing = append(r.missing, fmt.Errorf("settings: %s: %w", Clock, err))
		return nil
	}
	return func() func() {
		answer, err := http.Get(course.Busy)
		if err != nil {
			return func() {} // the stack has gone, and its time with it
		}
		return func() { _ = answer.Body.Close() } // the request ends, whatever it says
	}
}
