package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// releasedTogether is how many places are given back in one transaction at most, the
// counter's row not counted.
const releasedTogether = MaxActions

// counted is one row of a count.
type counted struct {
	count Count
	queue string
	shard int
}

// Release gives back the places of jobs that need them no more: of those that have
// ended, and of those that are not spilled any longer. It does so apart from the
// write that ended the job, so that finishing work waits for nobody, and each once:
// the row says that its place is held, and no longer does so after the transaction
// that gives it back. Others are passed over. n is how many were given back.
//
// What is not released, since this process died or the table did not answer, is met by
// the sweep's scan.
func (j *Jobs) Release(ctx context.Context, recs ...Record) (n int, err error) {
	rows := map[counted][]Write{}
	for _, rec := range recs {
		for _, count := range []Count{CountHard, CountSpilled} {
			if rec.free(count) {
				c := counted{count, rec.Queue, rec.place(count).Shard}
				rows[c] = append(rows[c], j.releaseWrite(count, rec))
			}
		}
	}
	var problems []error
	for c, writes := range rows {
		for len(writes) > 0 {
			k := min(len(writes), releasedTogether)
			done, err := j.giveBack(ctx, c, writes[:k])
			n += done
			problems = append(problems, err)
			writes = writes[k:]
		}
	}
	return n, errors.Join(problems...)
}

// releaseWrite notes on a job's row that its place is given back.
func (j *Jobs) releaseWrite(count Count, rec Record) Write {
	condition, values := "#state IN (:done, :dead, :cancelled)", Item{
		":done": done, ":dead": text(string(lifecycle.Dead)), ":cancelled": text(string(lifecycle.Cancelled)),
	}
	if count == CountSpilled {
		condition, values = "(attribute_not_exists(#due_slot) OR NOT begins_with(#due_slot, :spilled))", Item{":spilled": text(spillPrefix)}
	}
	// Key: the job's. Condition: ended, or spilled no more, and the place is held. A
	// lost race: given back by another, or redriven.
	return j.leave(count, rec, "", condition, values)
}

// leave is a write of a job's row that gives its place back, with what else it sets.
func (j *Jobs) leave(count Count, rec Record, set, condition string, values Item) Write {
	place := "#" + string(count)
	values[":held"], values[":shard"], values[":now"] = yes, number(rec.place(count).Shard), millis(j.now())
	remove := ""
	if set != "" {
		set, remove = ", "+set, ", #due_slot, #due_ms"
	}
	return update(rec.rowKey(), "SET "+place+".#released_ms = :now"+set+" REMOVE "+place+".#held"+remove,
		condition+" AND "+place+".#held = :held AND "+place+".#shard = :shard", values)
}

// giveBack makes writes of rows that each give a place of one shard back, in one
// transaction with the counter. Rows whose condition does not hold are left out; n is
// how many were written. What each says of when its place was released holds to within
// RecountMargin: it is said anew for each transaction, and none goes on for long.
func (j *Jobs) giveBack(ctx context.Context, c counted, rows []Write) (n int, err error) {
	left, lower := rows, false
	within, cancel := context.WithTimeout(ctx, RecountMargin/2)
	defer cancel()
	_, err = j.entail(within, nil, func() []consequence {
		for _, w := range left {
			w.Values[":now"] = millis(j.now())
		}
		if len(left) == 0 {
			return nil
		}
		all := []consequence{{c.less(len(left), lower), func(Item) error { lower = !lower; return nil }}}
		for i, w := range left {
			all = append(all, consequence{w, func(Item) error {
				left = append(left[:i:i], left[i+1:]...)
				return nil
			}})
		}
		return all
	})
	if half := len(rows) / 2; half > 0 && (errors.Is(err, ErrInvalid) || errors.Is(err, ErrTooLarge)) {
		first, err1 := j.giveBack(ctx, c, rows[:half]) // large rows exceed what a transaction may have
		second, err2 := j.giveBack(ctx, c, rows[half:])
		return first + second, errors.Join(err1, err2)
	}
	if err != nil {
		return 0, fmt.Errorf("store: giving back %d places of queue %s: %w", len(rows), c.queue, err)
	}
	return len(left), nil
}

// less counts so many jobs less. lower tells that the counter has fewer than that,
// since somebody deleted it: it begins at zero again.
func (c counted) less(by int, lower bool) Write {
	key := counterKey(c.count, c.queue, c.shard)
	if lower {
		// Key: the counter's. Condition: it has fewer. A lost race: others were
		// counted since.
		return update(key, "SET #used = :zero", "attribute_not_exists(#used) OR #used < :by", Item{":zero": number(0), ":by": number(by)})
	}
	// Key: the counter's. Condition: it has as many. A lost race: there is none,
	// unless somebody deleted or changed it by hand.
	return update(key, "ADD #used :less", "#used >= :by", Item{":less": number(-by), ":by": number(by)})
}
