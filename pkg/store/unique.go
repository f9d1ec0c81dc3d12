package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Unique asks that a job be the only one of its task and key. A row of its own
// (the lock) names the job that has the key. The lock holds no longer than that
// job gives it a reason to, so that every end of the job frees the key without a
// write, and no crash can leave it taken:
//
//   - while the job is scheduled, queued or running, the key is taken;
//   - once it is done, the key is taken for what is left of For;
//   - once it is dead, cancelled or gone, the key is free.
type Unique struct {
	// Key is the job's within its task.
	Key string
	// For is how long after the enqueueing the key is taken even where the job
	// is done before; zero frees it when the job is done.
	For time.Duration
	// NewestWins gives a waiting holder the newer job's arguments; where the
	// holder runs already, the newer job is made and takes the key over.
	NewestWins bool
}

// ErrDuplicate is wrapped where another job has a unique job's key.
var ErrDuplicate = errors.New("store: another job has the key")

// uniqueTries bounds how often a key is asked for that changes hands between.
const uniqueTries = 5

// A Lock is the row that says which job has a key.
type Lock struct {
	// Task and Key are the job's.
	Task, Key string
	// Job is who has the key.
	Job job.ID
	// N tells the hands that the lock went through apart. It begins with the time
	// at which the row was made, so that a lock which was freed and made again
	// is not taken for the one before, and grows by one with each hand.
	N int64
	// Until is when the key is free although the job is done.
	Until time.Time
}

// holds tells whether the lock's job, as it was read, gives it a reason to hold.
func (l Lock) holds(holder Record, now time.Time) bool {
	switch {
	case holder.Gone(now):
		return false
	case holder.State == lifecycle.Done:
		return now.Before(l.Until)
	}
	return !holder.State.Final()
}

// yield looks who has the key that n wants. held is false where n may take it over.
func (j *Jobs) yield(ctx context.Context, n NewJob, lock Lock) (holder Record, held bool, err error) {
	holder, err = j.holder(ctx, lock)
	if err != nil || !lock.holds(holder, j.now()) {
		return holder, false, err
	}
	if !n.Unique.NewestWins || holder.State == lifecycle.Done || holder.AsOf.After(n.AsOf) && !n.AsOf.IsZero() {
		return holder, true, nil
	}
	// Where it no longer waits, the newer job is to run after it.
	return j.replace(ctx, holder, n)
}

// holder reads a lock's job; one that is gone has the state None.
func (j *Jobs) holder(ctx context.Context, lock Lock) (Record, error) {
	holder, err := j.Get(ctx, lock.Job)
	if errors.Is(err, ErrNotFound) {
		return Record{ID: lock.Job}, nil
	}
	return holder, err
}

// redriveUnique lets a dead job start anew, by the first of the writes, if it can have
// its key again, and its place by the second where there is one.
func (j *Jobs) redriveUnique(ctx context.Context, found Record, own []Write) (bool, error) {
	var free *Lock
	for range uniqueTries {
		lock := Lock{Task: found.Task, Key: found.Unique, Job: found.ID, N: j.now().UnixMilli()}
		failed, err := j.transactUpTo(ctx, contendedTries, append(own[:len(own):len(own)], lockWrite(lock, free)))
		switch {
		case err != nil:
			return false, fmt.Errorf("store: redriving job %s: %w", found.ID, err)
		case failed == nil:
			return true, nil
		case failed[0] != nil:
			return false, nil // it is no longer dead, or was redriven by another
		case failed[len(own)] == nil:
			return false, noPlace(found)
		}
		current, err := lockIn(failed[len(own)].Old)
		if err != nil {
			return false, err
		}
		if free = current; free == nil || free.Job == found.ID {
			continue
		}
		holder, err := j.holder(ctx, *free)
		if err != nil {
			return false, err
		}
		if free.holds(holder, j.now()) {
			return false, fmt.Errorf("%w: job %s is not redriven while job %s has the key %q of task %s", ErrDuplicate, found.ID, holder.ID, found.Unique, found.Task)
		}
	}
	return false, fmt.Errorf("store: redriving job %s: the key %q changed hands %d times between", found.ID, found.Unique, uniqueTries)
}

// Free deletes a lock whose job no longer gives it a reason to hold. It does
// nothing (false) where it holds, or changed hands since it was read. Locks that
// are not freed do no harm but take up room: the sweep's scan frees them.
func (j *Jobs) Free(ctx context.Context, lock Lock) (bool, error) {
	holder, err := j.holder(ctx, lock)
	if err != nil || lock.holds(holder, j.now()) {
		return false, err
	}
	condition := "#job = :job AND #n = :n"
	// Key: the lock's. Condition: in the same hands as read. A lost race: taken
	// by another job, or regained by a redrive.
	_, err = j.driver.Write(ctx, Write{
		Op: Delete, Key: lockKey(lock.Task, lock.Key), Condition: condition,
		Names: namesIn(condition), Values: Item{":job": text(string(lock.Job)), ":n": number(lock.N)},
	})
	if errors.Is(err, ErrCondition) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: freeing the key %q of task %s: %w", lock.Key, lock.Task, err)
	}
	return true, nil
}
