// Package gates makes the gates before Crumb's queues: their limits follow from
// what the queues are declared to be, their depths are SQS's counts.
package gates

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A Gate decides whether a queue takes more; *admission.Gate is one.
type Gate interface {
	Admit(ctx context.Context) admission.Decision
}

// A FullError says that a queue takes no more for now, and until when. Requests that
// return it are refused with that.
type FullError struct{ Decision admission.Decision }

// Error says so.
func (f *FullError) Error() string { return "gates: the queue takes no more for now" }

// Pass asks a gate for room for one job: a *FullError where there is none.
func Pass(ctx context.Context, gate Gate) error {
	if d := gate.Admit(ctx); !d.Admitted {
		return &FullError{Decision: d}
	}
	return nil
}

// A Counter counts the messages of a queue.
type Counter interface {
	Depth(ctx context.Context, url string) (queue.Depth, error)
}

// New makes a gate for each queue of the tasks, by the queue's name. url gives
// where a queue is. It reports every mistake at once.
func New(counter Counter, url func(queue string) string, tasks ...job.Defined) (map[string]*admission.Gate, error) {
	plans, err := sizing.ForTasks(tasks...)
	if err != nil {
		return nil, err
	}
	gates := make(map[string]*admission.Gate, len(plans))
	var problems []error
	for name, plan := range plans {
		gate, err := admission.New(admission.Config{
			Queue: name, Limit: plan.Limit, DrainRate: plan.DrainRate, Depth: depth(counter, url(name)),
		})
		gates[name], problems = gate, append(problems, err)
	}
	return gates, errors.Join(problems...)
}

func depth(counter Counter, url string) admission.Depth {
	return func(ctx context.Context) (int, error) {
		d, err := counter.Depth(ctx, url)
		return d.Total(), err
	}
}
