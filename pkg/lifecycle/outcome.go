package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// An Outcome is what follows from how a run ended.
type Outcome struct {
	// To is the state that the job goes to.
	To State
	// Wait is how long the job waits where To is Queued or Scheduled.
	Wait time.Duration
	// GiveBack tells that the run does not count as an attempt.
	GiveBack bool
	// Cursor is what Continue saved; nil leaves the row's.
	Cursor any
	// Result is what the handler returned, where To is Done.
	Result any
	// ResultObject is where the result lies, instead of Result, where it is too
	// large for a row.
	ResultObject *Object
	// Err is why, where the run did not succeed.
	Err error
}

// An Object is where a value lies that is too large for a row (claim check).
type Object struct {
	// Key is the object's, in the bucket for objects.
	Key string
	// Bytes is how long the value is.
	Bytes int64
}

// An Attempt is what Ended needs to know of a run.
type Attempt struct {
	// Number counts from 1.
	Number, Max int
	// Backoff gives the wait.
	Backoff backoff.Policy
	// FIFO jobs wait in their queue, whatever the wait: parking one would let
	// its successors overtake it.
	FIFO bool
}

// Ended decides how a run that returned err goes on. random is as in
// backoff.Policy.After.
func Ended(a Attempt, err error, random func() float64) Outcome {
	if err == nil {
		return Outcome{To: Done}
	}
	return unsuccessful(a, err, random)
}

func unsuccessful(a Attempt, err error, random func() float64) Outcome {
	var (
		fail    *job.FailError
		retry   *job.RetryError
		snooze  *job.SnoozeError
		cont    *job.ContinueError
		discard *job.DiscardError
		waiting = func(o Outcome) Outcome {
			o.Wait = min(o.Wait, LongestWait)
			o.To = waitingState(o.Wait, a.FIFO)
			return o
		}
		failedBy = func(atLeast time.Duration) Outcome {
			if a.Number >= a.Max {
				return Outcome{To: Dead, Err: err}
			}
			return waiting(Outcome{Wait: max(atLeast, a.Backoff.After(a.Number, random)), Err: err})
		}
	)
	switch {
	case errors.As(err, &fail):
		return Outcome{To: Dead, Err: err}
	case errors.As(err, &discard):
		return Outcome{To: Cancelled, Err: err}
	case errors.As(err, &cont):
		return Outcome{To: Queued, GiveBack: true, Cursor: cont.Cursor}
	case errors.As(err, &snooze):
		return waiting(Outcome{Wait: snooze.For, GiveBack: true})
	case errors.As(err, &retry):
		return failedBy(retry.After)
	case errors.Is(err, context.DeadlineExceeded) && job.ErrorCode(err) == job.DefaultErrorCode:
		err = &timeoutError{err} // unless the handler has a word of its own for it
	}
	return failedBy(0)
}

// waitingState tells where a wait is spent: in the queue while SQS can hold the
// message back, else in the table.
func waitingState(wait time.Duration, fifo bool) State {
	if wait <= LongestDelay || fifo {
		return Queued
	}
	return Scheduled
}

// A timeoutError says in a person's words that the time was up.
type timeoutError struct{ err error }

func (e *timeoutError) Error() string     { return fmt.Sprintf("the run took too long: %v", e.err) }
func (e *timeoutError) Unwrap() error     { return e.err }
func (e *timeoutError) ErrorCode() string { return "timeout" }

// A DeathError is why a job died whose worker died with it.
type DeathError struct{ Deaths int }

// Error says how often.
func (e *DeathError) Error() string { return fmt.Sprintf("the worker died %d times", e.Deaths) }

// ErrorCode is "worker_died".
func (e *DeathError) ErrorCode() string { return "worker_died" }
