package sqssource

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// A mapping that has less than before works on fewer batches at once as soon as those
// under way have ended, and on more when it has more.
func TestTheConcurrencyChangesWhileItRuns(t *testing.T) {
	q := newQueue(make([]string, 40)...)
	ctx, cancel := context.WithCancel(t.Context())
	var at, most atomic.Int64
	began, goOn := make(chan struct{}), make(chan struct{})
	s, err := New(config(func(c *Config) { c.BatchSize, c.MaximumConcurrency = 1, 4 }), q, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
		now := at.Add(1)
		defer at.Add(-1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		began <- struct{}{}
		<-goOn
		return lambdaruntime.Result{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() { s.Run(ctx); close(stopped) }()
	for range 4 {
		<-began
	}
	s.SetMaximumConcurrency(2)
	for range 4 {
		goOn <- struct{}{}
	}
	for range 2 {
		<-began
	}
	if got := s.Pollers(); got != 2 || at.Load() != 2 {
		t.Errorf("%d pollers, %d at once", got, at.Load())
	}
	s.SetMaximumConcurrency(6)
	for range 4 { // they come within a second
		<-began
	}
	if most.Load() != 6 {
		t.Errorf("%d at once", most.Load())
	}
	cancel()
	for range 6 {
		goOn <- struct{}{}
	}
	<-stopped
	if got := s.Pollers(); got != 0 {
		t.Errorf("%d pollers are left", got)
	}
}
