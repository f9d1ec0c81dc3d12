// Package gates makes the gates before Crumb's queues: their limits, and what becomes of
// work when they are full, follow from what the queues are declared to be; how they do is
// read from SQS's counts and their gauges.
package gates

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A Gate decides whether a queue takes more; *admission.Gate is one.
type Gate interface {
	AdmitFor(ctx context.Context, policy job.Policy) admission.Decision
}

// A FullError says that a queue takes no more for now, and until when. Requests that
// return it are refused with that.
type FullError struct{ Decision admission.Decision }

// Error says so.
func (f *FullError) Error() string { return "gates: the queue takes no more for now" }

// Admit asks a gate for room for one job of a task, and gives what it is to be enqueued
// with, or a *FullError.
func Admit(ctx context.Context, gate Gate, task job.Defined) (admission.Decision, error) {
	d := gate.AdmitFor(ctx, task.Definition().Policy)
	if !d.Admitted {
		return d, &FullError{Decision: d}
	}
	return d, nil
}

// Pass asks a gate for room for one job of a task, and has it enqueued with what the gate
// asks for. It is a *FullError where there is no room, whoever finds that out.
func Pass(ctx context.Context, gate Gate, task job.Defined, enqueue func(admitted []job.Option) error) error {
	d, err := Admit(ctx, gate, task)
	if err != nil {
		return err
	}
	err = enqueue(d.Options())
	if errors.Is(err, producer.ErrFull) {
		return &FullError{Decision: d.Refused()}
	}
	return err
}

// A Config says what gates are made of. All of it is required, but for Metrics.
type Config struct {
	Jobs    *store.Jobs
	Counter gauge.Counter
	// URL gives where a queue is, by its name.
	URL func(queue string) string
	// Window is how long the relay gathers rows; zero means admission.DefaultWindow.
	Window time.Duration
	// Metrics counts decisions; nil counts nothing.
	Metrics telemetry.Recorder
	Now     func() time.Time
}

// New makes a gate for each queue of the tasks, by the queue's name. It reports every
// mistake at once.
func New(c Config, tasks ...job.Defined) (map[string]*admission.Gate, error) {
	plans, err := sizing.ForTasks(tasks...)
	if err != nil {
		return nil, err
	}
	late := sweep.NewLate(c.Jobs, c.Now)
	gates := make(map[string]*admission.Gate, len(plans))
	var problems []error
	for name, plan := range plans {
		gates[name], err = c.gate(plan, late)
		problems = append(problems, err)
	}
	return gates, errors.Join(problems...)
}

// gate makes the gate of one queue.
func (c Config) gate(plan sizing.Plan, late *sweep.Late) (*admission.Gate, error) {
	source, err := gauge.NewSource(gauge.SourceConfig{
		Queue: plan.Queue.Name, URL: c.URL(plan.Queue.Name), LongestWait: plan.Queue.LongestWait,
		Jobs: c.Jobs, Counter: c.Counter, Overdue: late.Oldest, Now: c.Now,
	})
	if err != nil {
		return nil, err
	}
	config := admission.For(plan)
	config.Look, config.Probe, config.Window, config.Now = source.Look, source.Probe, c.Window, c.Now
	config.Metrics = c.Metrics
	return admission.New(config)
}
