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
	// Paused jobs enqueue nothing; PausedSince is since when.
	Paused      bool
	PausedSince time.Time
	// Seen is the hour in which a check last declared the job: an old one is a job
	// that no function has any more. Zero before the first check.
	Seen time.Time
	// Asked is when somebody asked for a run (Desk.Ask) that the next check
	// enqueues; zero where nobody waits. Ran is the latest run that was asked for.
	Asked time.Time
	Ran   *Run
}

// statusOf gives what a mark says of a job.
func statusOf(name string, s state) Status {
	return Status{Name: name, Last: s.Last, Paused: s.Paused, PausedSince: s.PausedAt, Seen: s.Seen, Asked: s.Asked, Ran: s.Ran}
}

// List tells how all jobs stand, in the order in which they were given to New.
func (p *Periodic) List(ctx context.Context) ([]Status, error) {
	var all []Status
	for _, e := range p.entries {
		_, s, err := p.load(ctx, e.Name)
		if err != nil {
			return nil, err
		}
		status := statusOf(e.Name, s)
		status.Expression, status.Zone = e.Expression, e.when.Zone().String()
		if !s.Paused {
			status.Next = next(e.when, p.now())
		}
		all = append(all, status)
	}
	return all, nil
}

// Pause stops a job until Resume: events of its schedule enqueue nothing. Jobs that
// are enqueued already run.
func (p *Periodic) Pause(ctx context.Context, name string) error {
	if _, err := p.find(name); err != nil {
		return err
	}
	return p.change(ctx, name, func(s *state) error {
		s.pause(p.now())
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
			s.Schedule = e.when.String()
		}
		s.resume(p.now())
		return nil
	})
}

// RunNow enqueues the job at once, beside its occurrences: Request is given the time
// that it is now. It does so also while the job is paused. Where the Overlap leaves it
// out, the id is that of the unfinished job.
func (p *Periodic) RunNow(ctx context.Context, name string) (job.ID, error) {
	e, err := p.find(name)
	if err != nil {
		return "", err
	}
	return p.producer.Enqueue(ctx, e.Request(p.now().In(e.when.Zone())), e.Options...)
}
