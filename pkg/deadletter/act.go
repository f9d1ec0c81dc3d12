package deadletter

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// An action is what a run does with each letter. An error ends the run.
type action func(ctx context.Context, r *run, l Letter) (Result, error)

func (q *Queue) list(ctx context.Context, _ *run, l Letter) (Result, error) {
	var err error
	if l.Job != "" && !l.Unreadable {
		l.Standing, err = q.standing(ctx, l)
	}
	return Result{Letter: l, Status: Listed}, err
}

// standing looks at the letter's job. A row that can't be read leaves the letter
// as it is.
func (q *Queue) standing(ctx context.Context, l Letter) (standing Standing, err error) {
	err = q.patiently(ctx, func() error {
		_, standing, err = look(ctx, q.config.Jobs, l.message())
		return err
	})
	if errors.Is(err, store.ErrUnreadable) {
		return "", nil
	}
	return standing, err
}

func (q *Queue) drop(ctx context.Context, r *run, l Letter) (Result, error) {
	return Result{Letter: l, Status: Dropped}, q.remove(ctx, r, l)
}

func (q *Queue) redrive(ctx context.Context, r *run, l Letter) (Result, error) {
	if l.Unreadable {
		return q.giveBack(ctx, r, l)
	}
	if r.redrivenBefore(l) {
		return Result{Letter: l, Status: Refused, Err: ErrDiedAgain}, nil
	}
	var err error
	if r.options.DryRun {
		l.Standing, err = q.standing(ctx, l)
	} else {
		err = q.patiently(ctx, func() error {
			l.Standing, err = Redrive(ctx, q.config.Jobs, l.message())
			return err
		})
	}
	switch {
	case errors.Is(err, store.ErrDuplicate), errors.Is(err, store.ErrFull), errors.Is(err, store.ErrUnreadable):
		return Result{Letter: l, Status: Refused, Err: err}, nil
	case err != nil:
		return Result{}, err
	case l.Standing == Gone:
		return Result{Letter: l, Status: Refused, Err: ErrGone}, nil
	case l.Standing == Stale:
		return Result{Letter: l, Status: Removed}, q.remove(ctx, r, l)
	}
	r.redrove(l)
	return Result{Letter: l, Status: Redriven}, q.remove(ctx, r, l)
}

// giveBack sends what can't be read to the queue that it came from, as it came:
// with its own attributes, and without those that say why it was here. A crash
// before the letter is deleted sends it once more; a FIFO queue takes it once.
func (q *Queue) giveBack(ctx context.Context, r *run, l Letter) (Result, error) {
	to := q.source(l)
	switch {
	case !r.options.Unreadable:
		return Result{Letter: l, Status: Refused, Err: ErrUnreadable}, nil
	case to.URL == "":
		return Result{Letter: l, Status: Refused, Err: ErrNoSource}, nil
	case r.options.DryRun:
		return Result{Letter: l, Status: Returned}, nil
	}
	out := queue.Outgoing{Body: l.in.Body, Attributes: l.Attributes, Trace: l.in.Trace, Group: l.in.Group}
	if to.FIFO() {
		// The dedup id that it was first sent with may be known yet.
		out.Dedup = queue.Fitting("redrive:" + l.MessageID)
	}
	err := q.patiently(ctx, func() error { return q.config.SQS.Send(ctx, to.URL, []queue.Outgoing{out})[0] })
	var refused *queue.SendError
	if errors.As(err, &refused) && refused.Fault {
		return Result{Letter: l, Status: Refused, Err: err}, nil
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Letter: l, Status: Returned}, q.remove(ctx, r, l)
}

// source is the queue that a message came from: SQS knows of those that it moved
// itself.
func (q *Queue) source(l Letter) queue.Address {
	if arn := l.in.Source; arn != "" {
		letters := queue.Address{URL: q.config.Address.Letters}
		return queue.Address{URL: letters.Beside(arn[strings.LastIndexByte(arn, ':')+1:])}
	}
	return q.config.Address
}

// remove deletes a letter, unless the run is dry.
func (q *Queue) remove(ctx context.Context, r *run, l Letter) error {
	if r.options.DryRun {
		return nil
	}
	receipt := r.held.receipt(l.MessageID)
	err := q.patiently(ctx, func() error {
		return q.config.SQS.Delete(ctx, q.config.Address.Letters, []string{receipt})[0]
	})
	if err == nil {
		r.held.done(l.MessageID)
	}
	return err
}

// redrivenBefore tells whether the run redrove the letter's job after an earlier
// death.
func (r *run) redrivenBefore(l Letter) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	died, redriven := r.redriven[l.Job]
	return redriven && l.DiedAt.After(died)
}

func (r *run) redrove(l Letter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if died, before := r.redriven[l.Job]; !before || l.DiedAt.After(died) {
		r.redriven[l.Job] = l.DiedAt
	}
}

// tries is how often a call is made before a run gives up.
const tries = 6

// patiently repeats what failed, after waits. What can't get better by itself is
// not repeated.
func (q *Queue) patiently(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		var refused *queue.SendError
		hopeless := errors.Is(err, store.ErrDuplicate) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnreadable) || isOverLimit(err) ||
			errors.As(err, &refused) && refused.Fault
		if err == nil || hopeless || try == tries || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(waits.After(try, q.config.Random)):
		}
	}
}
