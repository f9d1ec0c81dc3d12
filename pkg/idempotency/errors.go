package idempotency

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Errors that callers decide on. All but ErrInProgress end a job (job.Fail):
// another attempt would meet them again.
var (
	// ErrBadKey: the key has no scope or no id, or its payload is not JSON.
	ErrBadKey = errors.New("idempotency: bad key")
	// ErrInProgress: somebody else has the claim. The error is an
	// *InProgressError.
	ErrInProgress = errors.New("idempotency: in progress elsewhere")
	// ErrOtherPayload: the key was used before, with another payload. Over HTTP
	// this is 422.
	ErrOtherPayload = errors.New("idempotency: the key was used with another payload")
	// ErrNotKept: the effect was done and its answer could not be kept. The
	// caller that ran fn gets the answer beside this error.
	ErrNotKept = errors.New("idempotency: done, but the answer was not kept")
	// ErrUnreadable: the record is none of this package's.
	ErrUnreadable = errors.New("idempotency: the record can't be read")
)

// An InProgressError tells that the effect is being done elsewhere. Returned by a
// job's handler, it snoozes the job until the claim has ended: no attempt is
// spent. Over HTTP it is 409 with a Retry-After.
type InProgressError struct {
	// Key is the one that was asked for.
	Key Key
	// Until is when the claim will have ended, at the latest, and the key can
	// be had or its answer is there.
	Until time.Time
	// After is how long that was from the time of asking: at least a second.
	After time.Duration
}

// Error says until when.
func (e *InProgressError) Error() string {
	return fmt.Sprintf("%v: %s, until %s", ErrInProgress, e.Key, e.Until.Format(time.RFC3339))
}

// Unwrap gives ErrInProgress, and the verdict for the worker.
func (e *InProgressError) Unwrap() []error { return []error{ErrInProgress, job.Snooze(e.After)} }

// permanent makes an error of a kind that ends a job.
func permanent(kind error, key Key, format string, args ...any) error {
	return job.Fail(fmt.Errorf("%w: %s: %s", kind, key, fmt.Sprintf(format, args...)))
}
