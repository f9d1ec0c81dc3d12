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

// Noop succeeds; Failing fails twice and is dead.
var (
	Noop    = job.Define[Arguments]("bench.noop", job.Policy{Queue: Bench, Timeout: 10 * time.Second, Public: true})
	Failing = job.Define[Arguments]("bench.failing", job.Policy{
		Queue: Bench, Timeout: 10 * time.Second, Public: true, MaxAttempts: 2,
		Backoff: backoff.Policy{Base: time.Second, Cap: time.Second},
	})
)

// ErrAlways is why Failing fails.
var ErrAlways = errors.New("this task always fails")
