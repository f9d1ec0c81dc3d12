package worker

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Commit ends the job as done together with the handler's own DynamoDB writes, in
// one transaction: its effect happens exactly once, whatever crashes and however
// often the message comes. ctx is the handler's, which returns nil afterwards; what
// it returns otherwise is logged and changes nothing.
//
// An action is a write with DynamoDB's expressions to any table of the account and
// region (store.Write; an empty Table is the jobs table). At most store.MaxActions,
// each on a row of its own, 4 MB in all. What follows the job is part of the
// transaction: each follow-up takes an action's place, and a batch three.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
//
// After an error nothing was written, and the run goes on:
//
//   - ErrLeaseLost: the job is another run's by now. Return the error.
//   - a *store.ConditionError (errors.As): the condition of the action at its Index
//     did not hold; Old is the row that is there. What that means is the
//     handler's to say.
//   - any other: conflicts with other transactions that did not end, a table that
//     does not answer, a transaction that makes no sense. Return it; the job is
//     retried. Where the answer alone was lost, the transaction may have been
//     applied; the job is then done, and does not run again.
func Commit[A any](ctx context.Context, j *job.Job[A], actions ...store.Write) error {
	return commit(ctx, j.ID, lifecycle.Outcome{To: lifecycle.Done}, actions)
}

// CommitResult is Commit for a task whose result is kept with the job. What the
// handler returns as its result afterwards is not looked at.
func CommitResult[A, R any](ctx context.Context, j *job.Job[A], result R, actions ...store.Write) error {
	return commit(ctx, j.ID, lifecycle.Outcome{To: lifecycle.Done, Result: result}, actions)
}

// CommitContinue is job.Continue in one transaction with the handler's own writes:
// each part of long work takes effect exactly once, and the cursor says which did.
// The handler returns nil afterwards, and the job runs again with a fresh deadline,
// no attempt spent. ErrCancelled means that nothing was written, since somebody
// asked for the job's cancellation: return it, and the job ends as cancelled.
func CommitContinue[A any](ctx context.Context, j *job.Job[A], cursor any, actions ...store.Write) error {
	if cursor == nil {
		return errors.New("worker: CommitContinue needs a cursor: without one the next run would do the same again")
	}
	return commit(ctx, j.ID, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: cursor}, actions)
}

func commit(ctx context.Context, id job.ID, outcome lifecycle.Outcome, actions []store.Write) error {
	r, err := runOf(ctx, id)
	if err != nil {
		return err
	}
	if outcome, err = encoded(outcome, r.config.mostResult()); err != nil {
		return err
	}
	return r.end(func(claimed store.Record) (store.Record, error) {
		kept, err := r.config.kept(ctx, &claimed, outcome)
		if err != nil {
			return store.Record{}, err
		}
		return r.jobs.Commit(ctx, claimed, kept, actions...)
	})
}

// encoded gives the outcome with its result and its cursor as JSON.
func encoded(outcome lifecycle.Outcome, mostResult int) (lifecycle.Outcome, error) {
	result, badResult := encode("result", outcome.Result, mostResult)
	cursor, badCursor := encode("cursor", outcome.Cursor, MaxResult)
	outcome.Result, outcome.Cursor = result, cursor
	return outcome, errors.Join(badResult, badCursor)
}
