// Package work declares the tasks that the benchmarks run: they do nothing, so
// that what is measured is the way there and back.
package work

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Bench is a queue whose limit no benchmark reaches.
var Bench = job.Queue{
	Name:         "bench",
	PeakArrivals: job.PerSecond(500),
	ServiceTime:  100 * time.Millisecond,
	LongestWait:  time.Hour,
	Batch:        10,
}

// Arguments are what a job of the benchmarks carries: about as much as a photo's.
type Arguments struct {
	Key string `json:"key"`
}

// Noop succeeds; Failing fails twice and is dead; Retrying fails once and succeeds.
// Jobs of Unique are the only ones of their keys. Large gives back its arguments.
var (
	Noop     = job.Define[Arguments]("bench.noop", job.Policy{Queue: Bench, Timeout: 10 * time.Second, Public: true})
	Failing  = job.Define[Arguments]("bench.failing", policy(2))
	Retrying = job.Define[Arguments]("bench.retrying", policy(3))
	Unique   = job.Define[Arguments]("bench.unique", job.Policy{Queue: Bench, Timeout: 10 * time.Second})
	Large    = job.DefineResult[Arguments, Arguments]("bench.large", job.Policy{Queue: Bench, Timeout: 10 * time.Second})
)

func policy(attempts int) job.Policy {
	return job.Policy{
		Queue: Bench, Timeout: 10 * time.Second, Public: true, MaxAttempts: attempts,
		Backoff: backoff.Policy{Base: time.Second, Cap: time.Second},
	}
}

// All lists them.
func All() []job.Defined { return []job.Defined{Noop, Failing, Retrying, Unique, Large} }

// ErrFails is why Failing and Retrying fail.
var ErrFails = errors.New("this run fails")
