package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// bounded tells whether the job is counted when it is made.
func (n *NewJob) bounded() bool { return n.Hard != nil || n.Spill != nil }

// seat is what the job asks for of a counter; nil where it is not bounded. What is
// spilled counts for its queue when it is released.
func (n *NewJob) seat() *seat {
	switch {
	case n.Spill != nil:
		return newSeat(CountSpilled, n.Queue, *n.Spill, n.ID, 1)
	case n.Hard != nil:
		return newSeat(CountHard, n.Queue, *n.Hard, n.ID, 1)
	}
	return nil
}

// togetherTries bounds how often a job is asked for whose key or whose place others
// took between.
const togetherTries = 8

// createTogether makes a job in one transaction with what it takes: its key, its
// place in a count.
//
// A repeated call finds the job's row, and takes no second place.
func (j *Jobs) createTogether(ctx context.Context, n NewJob) (Record, bool, error) {
	place := n.seat()
	var found *Lock
	for range togetherTries {
		now := j.now()
		rec := newRecord(n, now)
		if place != nil {
			place.mark(&rec)
		}
		writes := []Write{createWrite(rec, now)}
		if n.Unique != nil {
			writes = append(writes, lockWrite(n.lock(now), found))
		}
		if place != nil {
			writes = append(writes, place.write())
		}
		failed, err := j.transactUpTo(ctx, contendedTries, writes)
		switch {
		case err != nil:
			return Record{}, false, fmt.Errorf("store: creating job %s: %w", n.ID, err)
		case failed == nil:
			return rec, true, nil
		case failed[0] != nil:
			old, err := Decode(failed[0].Old)
			if err != nil {
				return Record{}, false, err
			}
			return earlier(n, old)
		case n.Unique != nil && failed[1] != nil:
			var holder Record
			var held bool
			if holder, held, found, err = j.askHolder(ctx, n, failed[1].Old); err != nil || held {
				return holder, false, err
			}
		default:
			if err := place.refused(ctx, j); err != nil {
				return Record{}, false, fmt.Errorf("store: creating job %s: %w", n.ID, err)
			}
		}
	}
	return Record{}, false, fmt.Errorf("%w: creating job %s: its key or its place was taken %d times between", ErrConflict, n.ID, togetherTries)
}

// lock is the row that says that a unique job has its key.
func (n *NewJob) lock(now time.Time) Lock {
	lock := Lock{Task: n.Task, Key: n.Unique.Key, Job: n.ID, N: now.UnixMilli()}
	if n.Unique.For > 0 {
		lock.Until = now.Add(n.Unique.For)
	}
	return lock
}

// askHolder looks who has the key that n wants, by the lock that is there. held is
// false where n may have it, from the hands that found names.
func (j *Jobs) askHolder(ctx context.Context, n NewJob, lock Item) (holder Record, held bool, found *Lock, err error) {
	current, err := lockIn(lock)
	if err != nil || current == nil { // freed between
		return Record{}, false, nil, err
	}
	holder, held, err = j.yield(ctx, n, *current)
	return holder, held, current, err
}

// onlyReplace lets a job take the place of one that waits with its key.
func (j *Jobs) onlyReplace(ctx context.Context, n NewJob) (Record, bool, error) {
	if n.Fingerprint != "" {
		old, err := j.Get(ctx, n.ID)
		if err == nil {
			return earlier(n, old)
		}
		if !errors.Is(err, ErrNotFound) {
			return Record{}, false, err
		}
	}
	if n.Unique != nil {
		lock, err := j.driver.Get(ctx, lockKey(n.Task, n.Unique.Key))
		if err != nil {
			return Record{}, false, fmt.Errorf("store: reading the key %q of task %s: %w", n.Unique.Key, n.Task, err)
		}
		holder, held, _, err := j.askHolder(ctx, n, lock)
		if err != nil || held {
			return holder, false, err
		}
	}
	return Record{}, false, fmt.Errorf("%w: no job of task %s waits whose place it could take", ErrFull, n.Task)
}

// TransactMaking is Transact with jobs that are made in the same transaction, counted
// where they are bounded. They are not unique, whatever they ask for. The Index of a
// *ConditionError counts the writes, and after them the jobs. ErrFull is wrapped where
// there is no room for the jobs of one queue: they are counted in one shard together.
func (j *Jobs) TransactMaking(ctx context.Context, jobs []NewJob, writes ...Write) error {
	seats := seatsOf(jobs)
	for range togetherTries {
		all := writes[:len(writes):len(writes)]
		now := j.now()
		for _, n := range jobs {
			n.Unique = nil
			rec := newRecord(n, now)
			if s := seats.of(n); s != nil {
				s.mark(&rec)
			}
			all = append(all, createWrite(rec, now))
		}
		rows := len(all)
		for _, s := range seats {
			all = append(all, s.write())
		}
		failed, err := j.transactUpTo(ctx, contendedTries, all)
		if err != nil {
			return fmt.Errorf("store: writing %d rows in one transaction: %w", len(all), err)
		}
		if failed == nil {
			return nil
		}
		if err := refusedWrites(failed, rows); err != nil {
			return err
		}
		for i, s := range seats {
			if failed[rows+i] == nil {
				continue
			}
			if err := s.refused(ctx, j); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("%w: the places of %d jobs were taken %d times between", ErrConflict, len(jobs), togetherTries)
}

// refusedWrites joins the conditions that failed among the first n writes.
func refusedWrites(failed map[int]*ConditionError, n int) error {
	var refused []error
	for i := range n {
		if f := failed[i]; f != nil {
			refused = append(refused, f)
		}
	}
	return errors.Join(refused...)
}

// seats are what the jobs of a transaction ask for, one for each count of a queue.
type seats []*seat

func seatsOf(jobs []NewJob) (all seats) {
	for _, n := range jobs {
		if s := all.of(n); s != nil {
			s.by++
		} else if n.bounded() {
			all = append(all, n.seat())
		}
	}
	return all
}

// of gives the seat that a job shares; nil for none.
func (all seats) of(n NewJob) *seat {
	asks := n.seat()
	for _, s := range all {
		if asks != nil && s.count == asks.count && s.queue == asks.queue {
			return s
		}
	}
	return nil
}
