package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// ErrFinished is returned where a job has ended already.
var ErrFinished = errors.New("store: the job has finished")

// cancelTries bounds how often a job is chased that changes state between.
const cancelTries = 5

// Cancel ends a waiting job as cancelled, and asks a running one to stop: its
// record then shows CancelRequested. client, where it is not empty, must be the
// job's own: to anybody else the job does not exist (ErrNotFound). ErrFinished
// comes with the record.
func (j *Jobs) Cancel(ctx context.Context, id job.ID, client string) (Record, error) {
	for range cancelTries {
		rec, lost, err := j.cancelWaiting(ctx, id, client)
		if err == nil && !lost {
			// Its place is free at once. Where that fails the scan does it.
			_, _ = j.Release(ctx, rec)
			return rec, nil
		}
		if err != nil {
			return rec, err
		}
		if done, err := j.notCancellable(rec, id, client); done {
			return rec, err
		}
		if rec.State != lifecycle.Running {
			continue
		}
		rec, lost, err = j.askToStop(ctx, id, client)
		if err != nil || !lost {
			return rec, err
		}
		if done, err := j.notCancellable(rec, id, client); done {
			return rec, err
		}
	}
	return Record{}, fmt.Errorf("store: cancelling job %s: it changed %d times between", id, cancelTries)
}

// notCancellable decides whether a refused cancellation is final.
func (j *Jobs) notCancellable(rec Record, id job.ID, client string) (bool, error) {
	switch {
	case rec.Gone(j.now()), client != "" && rec.Client != client:
		return true, fmt.Errorf("%w: %s", ErrNotFound, id)
	case rec.State == lifecycle.Cancelled:
		return true, nil // by an earlier call, or by this one, its answer lost
	case rec.State.Final():
		return true, fmt.Errorf("%w: %s is %s", ErrFinished, id, rec.State)
	}
	return false, nil
}

// cancelWaiting ends a job that does not run.
func (j *Jobs) cancelWaiting(ctx context.Context, id job.ID, client string) (Record, bool, error) {
	now := j.now()
	condition, values := ownedBy(client, "#state IN (:scheduled, :queued)", Item{
		":scheduled": text(string(lifecycle.Scheduled)), ":queued": queued,
		":cancelled": text(string(lifecycle.Cancelled)), ":now": millis(now),
		":ttl": seconds(now.Add(lifecycle.DoneRetention)),
	})
	// Key: the job's. Condition: waiting, the client's own, and nothing follows.
	// Comes back: the whole row; on failure the row as it was. A lost race: it
	// runs or has ended. What follows is for endWaiting.
	return j.endWaiting(ctx, "cancelling", lifecycle.Cancelled, Record{ID: id}, update(KeyOf(id),
		"SET #state = :cancelled, #finished_ms = :now, #ttl = :ttl REMOVE #publish, #not_before_ms, #due_slot, #due_ms",
		condition+nothingFollows, values))
}

// askToStop notes on a running job that it is to stop.
func (j *Jobs) askToStop(ctx context.Context, id job.ID, client string) (Record, bool, error) {
	condition, values := ownedBy(client, "#state = :running", Item{
		":running": running, ":true": boolean(true),
	})
	// Key: the job's. Condition: running, and the client's own. Comes back: the
	// whole row; on failure the row as it was. A lost race: its run ended.
	return j.write(ctx, "cancelling", id, update(KeyOf(id), "SET #cancel_requested = :true", condition, values))
}

func ownedBy(client, condition string, values Item) (string, Item) {
	if client == "" {
		return condition, values
	}
	values[":client"] = text(client)
	return condition + " AND #client = :client", values
}
