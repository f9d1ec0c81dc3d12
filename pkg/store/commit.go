package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// MaxActions is how many writes may go with the end of a run: a transaction has at
// most 100.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const MaxActions = 99

// ErrCancelRequested is returned where a run was to go on and somebody had asked
// for its cancellation.
var ErrCancelRequested = errors.New("store: a cancellation was asked for")

// Commit writes how a run ended together with other writes, all or none: an effect
// that is in them happens exactly once. The record that comes back is the job as
// it is now, in what the outcome changed.
//
// Errors: ErrLeaseLost where the job is no longer the run's; ErrCancelRequested
// where the outcome is another run and a cancellation was asked for;
// a *ConditionError, whose Index is that of the action, where an action's own
// condition did not hold. Nothing was written then. Conflicts with other
// transactions are waited out a few times; after that, and where the table does not
// answer, the error says so, and whether the transaction was applied is not known
// to the caller: the run's later writes are judged by its token.
func (j *Jobs) Commit(ctx context.Context, claimed Record, outcome lifecycle.Outcome, actions ...Write) (Record, error) {
	if len(actions) > MaxActions {
		return Record{}, fmt.Errorf("store: committing job %s: %d actions: a transaction has room for %d", claimed.ID, len(actions), MaxActions)
	}
	w, err := j.finishWrite(claimed, outcome)
	if err != nil {
		return Record{}, err
	}
	var failed map[int]*ConditionError
	if claimed.Follow != nil && outcome.To.Final() {
		failed, err = j.conclude(ctx, &claimed, outcome.To, w, actions...)
	} else {
		failed, err = j.transact(ctx, append([]Write{w}, actions...)...)
	}
	switch {
	case err != nil:
		return j.committed(ctx, claimed, outcome, err)
	case failed == nil:
		return after(claimed, outcome, w), nil
	case failed[0] != nil:
		return Record{}, refusedCommit(claimed, outcome, failed[0])
	}
	var refused []error
	for i := range actions {
		if f := failed[i+1]; f != nil {
			refused = append(refused, &ConditionError{Old: f.Old, Index: i})
		}
	}
	return Record{}, fmt.Errorf("store: committing job %s: %w", claimed.ID, errors.Join(refused...))
}

// Transact makes all of the writes or none. Errors: a *ConditionError for each write
// whose condition did not hold, joined; nothing was written then. Conflicts with
// other transactions are waited out a few times.
func (j *Jobs) Transact(ctx context.Context, writes ...Write) error {
	failed, err := j.transact(ctx, writes...)
	if err != nil {
		return fmt.Errorf("store: writing %d rows in one transaction: %w", len(writes), err)
	}
	return refusedWrites(failed, len(writes))
}

// committed finds out whether a transaction was applied whose answer is an error.
func (j *Jobs) committed(ctx context.Context, claimed Record, outcome lifecycle.Outcome, cause error) (Record, error) {
	rec, err := j.Get(ctx, claimed.ID)
	if err == nil && rec.Token == claimed.Token && rec.State == outcome.To {
		return rec, nil
	}
	return Record{}, fmt.Errorf("store: committing job %s: %w", claimed.ID, cause)
}

// refusedCommit says why the job's own row did not take the end of the run.
func refusedCommit(claimed Record, outcome lifecycle.Outcome, failed *ConditionError) error {
	rec := Record{}
	if failed.Old != nil {
		var err error
		if rec, err = Decode(failed.Old); err != nil {
			return err
		}
	}
	if rec.Token == claimed.Token && rec.State == lifecycle.Running && rec.CancelRequested && !outcome.To.Final() {
		return fmt.Errorf("%w: job %s", ErrCancelRequested, claimed.ID)
	}
	return fmt.Errorf("%w: job %s is %s", ErrLeaseLost, claimed.ID, stateOf(rec))
}

// after is the claimed record after the outcome's write.
func after(claimed Record, outcome lifecycle.Outcome, w Write) Record {
	if outcome.To.Final() {
		return concluded(claimed, outcome.To, w)
	}
	claimed.State = outcome.To
	claimed.NotBefore = at(w.Values[":due"])
	return claimed
}

// transactTries is how often a transaction is tried that the table refuses for now;
// and contendedTries, where many are expected to want the same row.
const (
	transactTries  = 5
	contendedTries = 12
)

// transactWaits lie between the tries.
var transactWaits = backoff.Policy{Base: 25 * time.Millisecond, Floor: 5 * time.Millisecond, Cap: 500 * time.Millisecond}

// transact makes all writes or none. failed has, for each write whose condition did
// not hold, the error; nil means that the writes were made. The token, which is
// the same for every try, makes them one transaction even where an answer is lost.
func (j *Jobs) transact(ctx context.Context, writes ...Write) (failed map[int]*ConditionError, err error) {
	return j.transactUpTo(ctx, transactTries, writes)
}

// transactUpTo is transact with so many tries.
func (j *Jobs) transactUpTo(ctx context.Context, tries int, writes []Write) (failed map[int]*ConditionError, err error) {
	token, err := j.NewToken()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		err = j.driver.Transact(ctx, token, writes)
		if err == nil {
			return nil, nil
		}
		if failed := conditionErrors(err); len(failed) > 0 {
			return failed, nil
		}
		if errors.Is(err, ErrTooLarge) || errors.Is(err, ErrInvalid) || try == tries {
			return nil, err
		}
		if j.pause(ctx, transactWaits.After(try, j.jitter)) != nil {
			return nil, err
		}
	}
}

// conditionErrors gives every condition that failed in a transaction, by the
// write's place.
func conditionErrors(err error) map[int]*ConditionError {
	failed := map[int]*ConditionError{}
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) {
		case *ConditionError:
			failed[e.Index] = e
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				walk(inner)
			}
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		}
	}
	walk(err)
	return failed
}
