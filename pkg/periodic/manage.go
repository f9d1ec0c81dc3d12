package periodic

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Status is how a periodic job stands.
type Status struct {
	// Name, Expression and Zone are the job's.
	Name, Expression, Zone string
	// Last is the latest occurrence that was enqueued or given up; zero where
	// there was none.
	Last time.Time
	// Next is the next occurrence; zero where none will come any more, and
	// while the job is paused.
	Next time.Time
	// Paused jobs enqueue nothing.
	Paused bool
}

// List tells how all jobs stand, in the order in which they were given to New.
func (p *Periodic) List(ctx context.Context) ([]Status, error) {
	var all []Status
	for _, e := range p.entries {
		_, s, err := p.load(ctx, e.Name)
		if err != nil {
			return nil, err
		}
		status := Status{Name: e.Name, Expression: e.Expression, Zone: e.when.Zone().String(), Last: s.Last, Paused: s.Paused}
		if !s.Paused {
			status.Next = e.next(p.now())
		}
		all = append(all, status)
	}
	return all, nil
}

// next gives the next occurrence, zero where there is none.
func (e *entry) next(now time.Time) time.Time {
	if period, isRate := e.when.Every(); isRate {
		now = now.Truncate(period)
	}
	next, _ := e.when.Next(now)
	return next
}

// Pause stops a job until Resume: events of its schedule enqueue nothing. Jobs that
// are enqueued already run.
func (p *Periodic) Pause(ctx context.Context, name string) error {
	if _, err := p.find(name); err != nil {
		return err
	}
	return p.change(ctx, name, func(s *state) error {
		s.Paused = true
		return nil
	})
}

// Resume lets a paused job go on with its next occurrence. What lay in the pause was
// not missed.
func (p *Periodic) Resume(ctx context.Context, name string) error {
	e, err := p.find(name)
	if err != nil {
		return err
	}
	return p.change(ctx, name, func(s *state) error {
		if s.Paused {
			s.Paused, s.Schedule, s.Since = false, e.when.String(), p.now().UTC()
		}
		return nil
	})
}

// RunNow enqueues the job at once, beside its occurrences: Request is given the time
// that it is now. It does so also while the job is paused.
func (p *Periodic) RunNow(ctx context.Context, name string) (job.ID, error) {
	e, err := p.find(name)
	if err != nil {
		return "", err
	}
	return p.producer.Enqueue(ctx, e.Request(p.now().In(e.when.Zone())), e.Options...)
}
