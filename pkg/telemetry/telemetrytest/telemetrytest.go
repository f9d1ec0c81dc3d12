// Package telemetrytest is for tests of what is measured.
package telemetrytest

import (
	"context"
	"slices"
	"sync"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A Recorder is a telemetry.Recorder that remembers. Its zero value is ready; it may be
// used by many goroutines.
type Recorder struct {
	mu      sync.Mutex
	seen    []telemetry.Measurement
	flushed int
	problem []error
}

// Record remembers a measurement.
func (r *Recorder) Record(_ context.Context, m telemetry.Measurement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, m)
	if err := m.Check(); err != nil {
		r.problem = append(r.problem, err)
	}
}

// Flush notes how much had been recorded.
func (r *Recorder) Flush(context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushed = len(r.seen)
}

// Values gives what was recorded of a metric, in order; of is its dimension's value.
func (r *Recorder) Values(m telemetry.Metric, of string) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var values []float64
	for _, s := range r.seen {
		if s.Metric == m && s.Of == of {
			values = append(values, s.Value)
		}
	}
	return values
}

// Sum adds up what was recorded of a metric.
func (r *Recorder) Sum(m telemetry.Metric, of string) (sum float64) {
	for _, v := range r.Values(m, of) {
		sum += v
	}
	return sum
}

// Unflushed is how many measurements no flush came after.
func (r *Recorder) Unflushed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen) - r.flushed
}

// Problems are the measurements that were not sound (telemetry.Measurement.Check).
func (r *Recorder) Problems() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.problem)
}
