// Package admission decides whether a queue takes more work. A queue that is
// allowed to grow without bound answers everybody too late; one that refuses at
// its limit answers those whom it accepts in time, and tells the others when to
// come back.
//
// # What is counted
//
// A Gate compares the limit that package sizing derived for the queue with what
// waits in it: the last reading of its depth, and what this process has admitted
// since, or so shortly before the reading that it may not be counted yet (a job
// is written to the table first and reaches the queue by the relay). The depth is
// read once a refresh interval at most, however many ask at once; between
// readings a decision costs no call.
//
// # Overshoot
//
// Processes don't know of one another's admissions until the next reading, so
// that the limit can be exceeded by at most
//
//	overshoot ≤ A × (R + L)
//
// with A the jobs that all processes together are asked for in a second, R the
// refresh interval, and L the time that a job takes from its row to the queue's
// counts (the relay's window and a second or two of SQS's own). A process alone
// does not overshoot: it knows what it admitted. Where that matters, lower the
// queue's LongestWait by overshoot ÷ drain rate.
//
// # When the depth can't be read
//
// For a bounded time (Config.Blind) the gate goes on with the last reading and
// what it has admitted since: accepted work is durable, so what a blind gate
// risks is longer waits and nothing else, by at most A × Blind jobs; refusing
// everybody because one count failed would be the greater harm. After that, or
// where no reading was ever had, it refuses: work is not accepted into the dark
// for long.
//
// # Hysteresis
//
// A gate closes at its limit and opens again when the depth has fallen to Mark, a
// twentieth below: else it would flutter, and each client that comes back would
// find it full again.
package admission

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Reason says why work is not admitted.
type Reason string

// The reasons.
const (
	// None: it is admitted.
	None Reason = ""
	// Full: the queue is at its limit, or has not yet fallen to the mark.
	Full Reason = "full"
	// Unknown: the depth could not be read for too long.
	Unknown Reason = "unknown"
)

// A Decision is a gate's answer.
type Decision struct {
	// Admitted tells whether the work may be enqueued.
	Admitted bool
	// Reason says why not.
	Reason Reason
	// RetryAfter is when to ask again, where it was not admitted: whole
	// seconds, at least one.
	RetryAfter time.Duration
	// Depth is how many jobs are thought to wait, Limit how many may.
	Depth, Limit int
	// Err is why the depth could not be read, for logs. It may be set where
	// the work was admitted on an older reading.
	Err error
}

// Defaults of a Config.
const (
	DefaultRefresh = time.Second
	DefaultBlind   = 10 * time.Second
	DefaultTimeout = 2 * time.Second
	DefaultSettle  = 2 * time.Second
)

// A Config describes the gate of one queue.
type Config struct {
	// Queue is the queue's name, for errors.
	Queue string
	// Limit is how many jobs may wait, and DrainRate how many are finished in
	// a second: sizing.Plan's. Both are required.
	Limit     int
	DrainRate job.Rate
	// Depth counts the jobs that wait: visible, delayed and in flight.
	// Required. It is called by one goroutine at a time.
	Depth Depth
	// Refresh is how old a reading may get; zero means DefaultRefresh.
	Refresh time.Duration
	// Blind is how long the last reading serves while the depth can't be
	// read; zero means DefaultBlind. It is at least Refresh.
	Blind time.Duration
	// Timeout ends one reading; zero means DefaultTimeout.
	Timeout time.Duration
	// Settle is how long an admitted job may take to show in the depth; zero
	// means DefaultSettle.
	Settle time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random gives numbers in [0, 1) that spread RetryAfter; default
	// rand.Float64. It may be called by many goroutines.
	Random func() float64
}

func (c Config) validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("admission: queue %q: "+format, append([]any{c.Queue}, args...)...))
	}
	if c.Limit < 1 {
		bad("Limit is %d: take it from the queue's plan (package sizing)", c.Limit)
	}
	if !(c.DrainRate > 0) {
		bad("DrainRate is %v a second: take it from the queue's plan (package sizing)", float64(c.DrainRate))
	}
	if c.Depth == nil {
		bad("Depth is nil: say how to count the jobs that wait")
	}
	if c.Refresh < 0 || c.Timeout < 0 || c.Settle < 0 {
		bad("a negative duration: Refresh %v, Timeout %v, Settle %v", c.Refresh, c.Timeout, c.Settle)
	}
	if c.Blind != 0 && c.Blind < c.Refresh {
		bad("Blind is %v: at least Refresh, %v", c.Blind, c.Refresh)
	}
	return errors.Join(problems...)
}

func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}
