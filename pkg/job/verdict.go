package job

import (
	"errors"
	"fmt"
	"time"
)

// A Coded error has a short stable code besides its text; the job's error then
// shows both, also to clients over HTTP: {"code": "truncated", "message": "…"}. Its
// text is therefore for them. Errors without a code have the code "failed", and
// their text is for operators alone: in the row, the letter and the logs.
type Coded interface {
	error
	ErrorCode() string
}

// DefaultErrorCode is the code of errors that are not Coded.
const DefaultErrorCode = "failed"

// ErrorCode gives the code of err: that of the first Coded error in its chain, or
// DefaultErrorCode. Errors of the AWS SDK's count for none, although they have a
// method of that name: they tell of accounts, roles and tables, and were not written
// for clients.
// https://pkg.go.dev/github.com/aws/smithy-go#APIError
func ErrorCode(err error) string {
	var coded Coded
	for errors.As(err, &coded) {
		if _, ofAWS := coded.(interface{ ErrorMessage() string }); !ofAWS {
			return coded.ErrorCode()
		}
		err = errors.Unwrap(coded)
	}
	return DefaultErrorCode
}

// A FailError says that the job can never succeed. See Fail.
type FailError struct{ Err error }

// Error gives the reason.
func (e *FailError) Error() string { return e.Err.Error() }

// Unwrap gives the reason as an error.
func (e *FailError) Unwrap() error { return e.Err }

// Fail ends the job as dead at once, whatever attempts are left: a corrupt file
// does not get better. The reason goes with the letter. Fail(nil) is a mistake
// and reads as such in the letter.
func Fail(err error) error {
	if err == nil {
		err = errors.New("job: Fail was called without a reason")
	}
	return &FailError{Err: err}
}

// A RetryError asks for a wait of at least After. See RetryAfter.
type RetryError struct {
	After time.Duration
	Err   error
}

// Error gives the reason.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap gives the reason as an error.
func (e *RetryError) Unwrap() error { return e.Err }

// RetryAfter fails this attempt and asks that the next come no sooner than d from
// now, as a server's Retry-After header does. The policy's own wait still holds
// where it is longer.
func RetryAfter(d time.Duration, err error) error {
	if err == nil {
		err = errors.New("job: asked to retry later")
	}
	return &RetryError{After: d, Err: err}
}

// A SnoozeError asks to run again later. See Snooze.
type SnoozeError struct{ For time.Duration }

// Error says what was asked.
func (e *SnoozeError) Error() string { return fmt.Sprintf("job: snoozed for %v", e.For) }

// Snooze asks to run again after d, without spending an attempt: the work's time
// has not come. A negative d counts as zero.
func Snooze(d time.Duration) error { return &SnoozeError{For: max(d, 0)} }

// A ContinueError saves progress. See Continue.
type ContinueError struct{ Cursor any }

// Error says what was asked.
func (e *ContinueError) Error() string { return "job: to be continued" }

// Continue saves cursor with the job and asks for another run, with a fresh
// deadline and without spending an attempt: how work longer than a function may
// live is done. The next run reads the cursor with Cursor. cursor must encode as
// JSON.
func Continue(cursor any) error { return &ContinueError{Cursor: cursor} }

// A DiscardError ends the job as cancelled. See Discard.
type DiscardError struct{ Reason string }

// Error gives the reason.
func (e *DiscardError) Error() string { return e.Reason }

// Discard ends the job as cancelled: its work is no longer wanted, and nobody
// needs to look.
func Discard(reason string) error { return &DiscardError{Reason: reason} }

// IsVerdict tells whether err says how the job is to go on: whether Fail, RetryAfter,
// Snooze, Continue or Discard made it, or it wraps one that they made. Any other error
// fails the attempt, and the policy decides.
func IsVerdict(err error) bool {
	var (
		fail    *FailError
		retry   *RetryError
		snooze  *SnoozeError
		cont    *ContinueError
		discard *DiscardError
	)
	return errors.As(err, &fail) || errors.As(err, &retry) || errors.As(err, &snooze) ||
		errors.As(err, &cont) || errors.As(err, &discard)
}
