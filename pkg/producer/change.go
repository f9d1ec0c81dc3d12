package producer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Errors of jobs that can't be changed any more, and of jobs that are not there.
var (
	// ErrStarted: the job is being run.
	ErrStarted = errors.New("producer: the job runs already")
	// ErrFinished: the job has ended.
	ErrFinished = store.ErrFinished
	// ErrNotFound: there is no such job, or its row's time to live is over.
	ErrNotFound = store.ErrNotFound
)

// changeTries bounds how often a job is chased that changes state between.
const changeTries = 5

// Cancel ends a job that has not begun, in one write, and asks one that runs to
// stop: the record tells which, by its State and CancelRequested. A job that is
// cancelled already is no error. Whether the caller may is the application's to
// decide before.
//
// Errors: ErrNotFound; ErrFinished, with the record, where the job is done or dead;
// others are the store's, and the call may be repeated.
func (p *Producer) Cancel(ctx context.Context, id job.ID) (store.Record, error) {
	rec, err := p.jobs.Cancel(ctx, id, "")
	if err != nil {
		return rec, fmt.Errorf("producer: %w", err)
	}
	return rec, nil
}

// Reschedule gives a job that has not begun another time; one that has passed means
// now. A job that waits in the table is moved in one write. One that SQS holds
// already goes back into the table, and its message does nothing when it arrives;
// a job whose new time is at most lifecycle.LongestDelay off is handed to SQS at
// once, so that it starts within a second or two of that time, as if it had been
// enqueued so. A job that failed and waits for its next attempt may be moved as well.
//
// Errors: ErrNotFound, ErrStarted, ErrFinished; ErrOptions for a time further ahead
// than LongestAhead, and for jobs of FIFO queues once they are in their queue, where
// others would overtake them, and for jobs that are spilled where their queue is Hard.
// Others are the store's: they leave open whether the job
// was moved, and the call may be repeated. Of two calls at once the later write holds.
func (p *Producer) Reschedule(ctx context.Context, id job.ID, at time.Time) error {
	if now := p.now(); at.After(now.Add(LongestAhead)) {
		return fmt.Errorf("%w: the job would start at %s: jobs are planned at most %v ahead", ErrOptions, at.UTC().Format(time.RFC3339), LongestAhead)
	}
	for range changeTries {
		moved, err := p.jobs.Move(ctx, id, at)
		if err == nil && !moved {
			moved, err = p.takeBack(ctx, id, at)
		}
		if err == nil && moved {
			err = p.handOver(ctx, id, at)
		}
		if err != nil {
			return fmt.Errorf("producer: rescheduling: %w", err)
		}
		if moved {
			return nil
		}
	}
	return fmt.Errorf("producer: rescheduling job %s: it changed %d times between", id, changeTries)
}

// takeBack puts a job that is not in the table's care back there, until a time. It
// does nothing (false) where the job changed meanwhile.
func (p *Producer) takeBack(ctx context.Context, id job.ID, at time.Time) (bool, error) {
	rec, err := p.jobs.Get(ctx, id)
	if err != nil {
		return false, err
	}
	_, _, fifo := id.Group()
	switch {
	case rec.State.Final():
		return false, fmt.Errorf("%w: %s is %s", ErrFinished, id, rec.State)
	case rec.State == lifecycle.Running:
		return false, fmt.Errorf("%w: %s", ErrStarted, id)
	case fifo:
		return false, fmt.Errorf("%w: %s is in a FIFO queue, where others would overtake it", ErrOptions, id)
	case rec.Spilled && rec.Hard != nil:
		return false, fmt.Errorf("%w: %s is spilled and its queue is Hard: it is released when there is room", ErrOptions, id)
	case rec.State == lifecycle.Queued:
		return p.jobs.Park(ctx, rec, later(at, p.now()))
	}
	return false, nil
}

// handOver gives a job whose time is near to SQS, which holds it for the rest. Should
// this process die before, the sweep does it.
func (p *Producer) handOver(ctx context.Context, id job.ID, at time.Time) error {
	near := p.now().Add(lifecycle.LongestDelay)
	if at.After(near) {
		return nil
	}
	rec, err := p.jobs.Get(ctx, id)
	if err != nil || rec.State != lifecycle.Scheduled || rec.NotBefore.After(near) {
		return err
	}
	// Not promoted means promoted by the sweep, or changed again, since.
	_, err = p.jobs.Promote(ctx, store.DueOf(rec))
	return err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
