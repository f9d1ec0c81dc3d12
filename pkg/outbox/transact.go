package outbox

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Transact makes all of the actions or none.
//
// Errors: ErrTooMuch, ErrAction and those of producer.Enqueue are the request's
// fault, and nothing was written. A *store.ConditionError (errors.As; several are
// joined) is the condition of the action at its Index. Conflicts with other
// transactions are waited out a few times. After any other error it is not known
// whether the transaction was applied: a Write with a condition of its own (no such
// row) makes a repeated call safe.
func (o *Outbox) Transact(ctx context.Context, actions ...Action) error {
	all, err := o.plan(ctx, actions)
	if err != nil {
		return err
	}
	var writes []store.Write
	var jobs []store.NewJob
	var places, jobPlaces []int // of the actions
	for i, p := range all {
		if p.job != nil {
			jobs, jobPlaces = append(jobs, *p.job), append(jobPlaces, i)
		} else {
			writes, places = append(writes, p.write), append(places, i)
		}
	}
	if err := checkCounts(jobs, len(all)); err != nil {
		return err
	}
	if len(jobs) == 0 {
		err = o.config.Jobs.Transact(ctx, writes...)
	} else {
		err = placed(o.config.Jobs.TransactMaking(ctx, jobs, writes...), append(places, jobPlaces...))
	}
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	return nil
}

// checkCounts holds jobs that are counted to what one transaction can count: the jobs of
// a queue in one row of its counter, which is an action as well.
func checkCounts(jobs []store.NewJob, actions int) error {
	type count struct {
		queue   string
		spilled bool
	}
	counted := map[count]int{}
	for _, n := range jobs {
		c, bound := count{n.Queue, n.Spill != nil}, n.Hard
		if c.spilled {
			bound = n.Spill
		}
		if counted[c]++; counted[c] > bound.Together() {
			return fmt.Errorf("%w: more than %d jobs of queue %q, which are counted in one row: enqueue them in several transactions", ErrTooMuch, bound.Together(), n.Queue)
		}
	}
	if total := actions + len(counted); total > MaxActions {
		return fmt.Errorf("%w: %d actions and %d counters of queues, at most %d together", ErrTooMuch, actions, len(counted), MaxActions)
	}
	return nil
}

// placed gives errors of conditions the places of their actions.
func placed(err error, places []int) error {
	var refused []error
	if all, joined := err.(interface{ Unwrap() []error }); joined {
		for _, e := range all.Unwrap() {
			if c, ok := e.(*store.ConditionError); ok {
				e = &store.ConditionError{Old: c.Old, Index: places[c.Index]}
			}
			refused = append(refused, e)
		}
		return errors.Join(refused...)
	}
	return err
}

// Writes gives the actions as writes, for a transaction that somebody else makes:
//
//	writes, err := box.Writes(ctx, outbox.Publish(…))
//	…
//	return worker.Commit(ctx, j, writes...)
//
// Every mistake is reported at once. A job that is counted is one: a transaction of
// somebody else's can't look for room.
func (o *Outbox) Writes(ctx context.Context, actions ...Action) ([]store.Write, error) {
	all, err := o.plan(ctx, actions)
	if err != nil {
		return nil, err
	}
	writes := make([]store.Write, len(all))
	for i, p := range all {
		if p.job != nil {
			return nil, fmt.Errorf("%w: action %d: job %s of task %s is spilled, or its queue is Hard: use Transact, or enqueue it by itself", ErrAction, i, p.job.ID, p.job.Task)
		}
		writes[i] = p.write
	}
	return writes, nil
}

// plan gives the actions as they are to be written.
func (o *Outbox) plan(ctx context.Context, actions []Action) ([]planned, error) {
	if len(actions) == 0 {
		return nil, fmt.Errorf("%w: there is no action", ErrAction)
	}
	if len(actions) > MaxActions {
		return nil, fmt.Errorf("%w: %d actions, at most %d: write the rows that need not be there together in transactions of their own", ErrTooMuch, len(actions), MaxActions)
	}
	all, writes := make([]planned, len(actions)), make([]store.Write, len(actions))
	var problems []error
	for i, action := range actions {
		p, err := action(ctx, o)
		if err != nil {
			problems = append(problems, fmt.Errorf("action %d: %w", i, err))
		}
		all[i], writes[i] = p, p.write
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, errors.Join(checkBytes(writes), checkRows(writes))
}

// checkBytes holds the rows to the transaction's size. What an update leaves of a row
// as it is is not known here; DynamoDB counts it.
func checkBytes(writes []store.Write) error {
	total := 0
	for i, w := range writes {
		row := 0
		for _, item := range []store.Item{w.Item, w.Key, w.Values} {
			counted, err := sdk.ItemFromSDK(item)
			if err != nil {
				return fmt.Errorf("%w: action %d: %w", ErrAction, i, err)
			}
			row += counted.Size()
		}
		if w.Op == store.Put && row > MaxRow {
			return fmt.Errorf("%w: the row of action %d has %d bytes, at most %d", ErrTooMuch, i, row, MaxRow)
		}
		total += row
	}
	if total > MaxBytes {
		return fmt.Errorf("%w: the rows have %d bytes, at most %d", ErrTooMuch, total, MaxBytes)
	}
	return nil
}

// checkRows refuses two actions on one row, as far as their keys are known: a Put's
// are part of its item.
func checkRows(writes []store.Write) error {
	seen := map[string]int{}
	for i, w := range writes {
		if len(w.Key) == 0 {
			continue
		}
		row := w.Table + "\x00" + keyText(w.Key)
		if first, twice := seen[row]; twice {
			return fmt.Errorf("%w: the actions %d and %d are on one row: a transaction takes one", ErrAction, first, i)
		}
		seen[row] = i
	}
	return nil
}

// keyText writes a key out, the same text for the same key.
func keyText(key store.Item) string {
	var parts []string
	for name, value := range key {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			parts = append(parts, fmt.Sprintf("%q:S%q", name, v.Value))
		case *types.AttributeValueMemberN:
			parts = append(parts, fmt.Sprintf("%q:N%s", name, v.Value))
		case *types.AttributeValueMemberB:
			parts = append(parts, fmt.Sprintf("%q:B%x", name, v.Value))
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, ",")
}
