package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// checkClaims settles over which size results go to objects.
func (c *Config) checkClaims() error {
	switch {
	case c.ClaimCheckOver < 0:
		return fmt.Errorf("worker: ClaimCheckOver is %d bytes: it is 0 (the default) or more", c.ClaimCheckOver)
	case c.ClaimCheckOver > MaxResult:
		return fmt.Errorf("worker: ClaimCheckOver is %d bytes: a row holds results of at most %d", c.ClaimCheckOver, MaxResult)
	case c.Objects == nil && c.ClaimCheckOver > 0:
		return errors.New("worker: ClaimCheckOver is set and Objects is nil: make it with claimcheck.New")
	case c.ClaimCheckOver == 0:
		c.ClaimCheckOver = claimcheck.DefaultOver
	}
	return nil
}

// mostResult is the largest result that can be kept, in bytes.
func (c *Config) mostResult() int {
	if c.Objects == nil {
		return MaxResult
	}
	return claimcheck.MaxBytes
}

// fetched is the row with its arguments in it, wherever they lie. Arguments that are
// not there never will be: the job is dead. A storage that does not answer in the
// run's time is no fault of the job: its run never began, the attempt is given back
// and the message put off. Damage may have happened on the way: it costs an attempt.
func (c *Config) fetched(ctx context.Context, rec *store.Record) (*store.Record, error) {
	if rec.ArgsObject == nil {
		return rec, nil
	}
	args, err := c.get(ctx, *rec.ArgsObject)
	switch {
	case errors.Is(err, claimcheck.ErrNotFound):
		return nil, permanent("arguments_missing", fmt.Errorf("the arguments are no longer there: %w", err))
	case errors.Is(err, claimcheck.ErrDamaged):
		return nil, &codedError{"arguments_damaged", err}
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, err // interrupted: why decides
	case err != nil:
		c.Logger.WarnContext(ctx, "a job's arguments could not be fetched: it was put off, and no attempt is spent", "job", rec.ID, "task", rec.Task, "error", err.Error())
		return nil, job.Snooze(tableWaits.After(1, c.Random))
	}
	whole := *rec
	whole.Args = args
	return &whole, nil
}

func (c *Config) get(ctx context.Context, claim lifecycle.Object) ([]byte, error) {
	if c.Objects == nil {
		return nil, fmt.Errorf("worker: the arguments are in %s, and Config.Objects is nil", claim.Key)
	}
	return c.Objects.Get(ctx, claim)
}

// kept is the outcome as the row has room for it: a large result goes to an object,
// before the row names it. Where the storage does not take it, it goes into the row
// all the same, if it can; else the error says so, and the run was for nothing.
func (c *Config) kept(ctx context.Context, rec *store.Record, outcome lifecycle.Outcome) (lifecycle.Outcome, error) {
	result, ok := outcome.Result.(json.RawMessage)
	if !ok || c.Objects == nil || len(result) <= c.ClaimCheckOver {
		return outcome, nil
	}
	away, err := c.away(ctx, rec, outcome, result)
	if err != nil && len(result) <= MaxResult {
		c.Logger.WarnContext(ctx, "a result went into its row, since the storage for objects did not take it", "job", rec.ID, "task", rec.Task, "error", err.Error())
		return outcome, nil
	}
	return away, err
}

// away puts the result into an object of its own. Should the lease be lost, no row
// will ever name it. A storage that does not answer has half of the time that is
// left: an end that is not written would look like the worker's death.
func (c *Config) away(ctx context.Context, rec *store.Record, outcome lifecycle.Outcome, result []byte) (lifecycle.Outcome, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	drawn, err := c.Jobs.NewToken()
	if err != nil {
		return outcome, err
	}
	claim, err := c.Objects.Put(ctx, claimcheck.ResultKey(rec.ID, drawn), result)
	if err != nil {
		return outcome, &codedError{"result_not_kept", fmt.Errorf("the result could not be kept: %w", err)}
	}
	outcome.Result, outcome.ResultObject = nil, &claim
	return outcome, nil
}

// finishFitting writes the end of a run. A result for which the row has no room
// beside the arguments goes to an object after all.
func (b *batch) finishFitting(ctx context.Context, rec *store.Record, outcome lifecycle.Outcome) (store.Record, error) {
	now, err := b.finish(ctx, rec, outcome)
	result, ok := outcome.Result.(json.RawMessage)
	if !errors.Is(err, store.ErrTooLarge) || !ok || b.config.Objects == nil {
		return now, err
	}
	smaller, notKept := b.config.away(ctx, rec, outcome, result)
	if notKept != nil {
		return now, errors.Join(err, notKept)
	}
	return b.finish(ctx, rec, smaller)
}
