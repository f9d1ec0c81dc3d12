package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A DueJob is a scheduled job, or an event that was put off, as the due index has
// it. The index lags behind the table; Promote decides.
type DueJob struct {
	// ID is the job's; empty for an event.
	ID  job.ID
	Due time.Time
	// key is an event's.
	key Item
	// ms is the due time to the letter, as read.
	ms int64
}

// DueOf gives a scheduled job's row as the index would have it.
func DueOf(rec Record) DueJob {
	return DueJob{ID: rec.ID, Due: rec.NotBefore, ms: rec.NotBefore.UnixMilli()}
}

// Due gives a page of the jobs scheduled for a minute, in one shard (0 to
// DueShards-1), up to and including until. next continues; nil at the end.
func (j *Jobs) Due(ctx context.Context, minute time.Time, shard int, until time.Time, start Item) (due []DueJob, next Item, err error) {
	return j.dueIn(ctx, slot(minute, shard), until, 0, start)
}

// dueIn gives a page of a partition of the due index.
func (j *Jobs) dueIn(ctx context.Context, slot string, until time.Time, limit int, start Item) (due []DueJob, next Item, err error) {
	condition := "#due_slot = :slot AND #due_ms <= :until"
	page, err := j.driver.Query(ctx, Query{
		Index: DueIndex, Condition: condition, Names: namesIn(condition), Start: start, Limit: limit,
		Values: Item{":slot": text(slot), ":until": millis(until)},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("store: reading what is due in %s: %w", slot, err)
	}
	for _, item := range page.Items {
		d := DueJob{Due: at(item[DueAt]), ms: num(item[DueAt])}
		id, isJob := IDFrom(item)
		switch {
		case isJob:
			d.ID = id
		case isEvent(item):
			d.key = Item{PartitionKey: item[PartitionKey], SortKey: item[SortKey]}
		default:
			continue
		}
		due = append(due, d)
	}
	return due, page.Next, nil
}

// Promote hands a scheduled job that is due, or soon will be, to its queue; of a
// dead one, it asks for the letter that was put off. It does nothing (false) where
// the job was moved, cancelled or promoted since.
func (j *Jobs) Promote(ctx context.Context, due DueJob) (bool, error) {
	if due.key != nil {
		return j.promoteEvent(ctx, due)
	}
	rec, err := j.Get(ctx, due.ID)
	if err != nil {
		return false, ignoreNotFound(err)
	}
	if rec.State == lifecycle.Dead {
		return j.promoteLetter(ctx, rec, due)
	}
	if rec.State != lifecycle.Scheduled || rec.NotBefore.UnixMilli() != due.ms {
		return false, nil
	}
	values := Item{
		":scheduled": text(string(lifecycle.Scheduled)), ":queued": queued,
		":due": number(due.ms), ":seen": number(rec.N),
	}
	again := j.publishAgain(rec, values)
	// Key: the job's. Condition: scheduled, due exactly as read, and that n. A
	// lost race: moved, cancelled, or promoted by another sweep.
	_, lost, err := j.write(ctx, "promoting", due.ID, update(KeyOf(due.ID),
		"SET #state = :queued, "+again+" REMOVE #due_slot, #due_ms",
		"#state = :scheduled AND #due_ms = :due AND #n = :seen", values))
	return !lost && err == nil, err
}

// Move gives a scheduled job another time; one that has passed means now. It does
// nothing (false) where the job is no longer scheduled, or is spilled and its queue
// counts its jobs: it has no place there yet.
func (j *Jobs) Move(ctx context.Context, id job.ID, to time.Time) (bool, error) {
	if now := j.now(); to.Before(now) {
		to = now // the sweep is done with earlier minutes
	}
	// Key: the job's. Condition: scheduled, and counted where its queue is. A lost
	// race: promoted, released or cancelled.
	_, lost, err := j.write(ctx, "moving", id, update(KeyOf(id),
		"SET #not_before_ms = :due, #due_ms = :due, #due_slot = :slot", "#state = :scheduled AND (attribute_not_exists(#hard) OR #hard.#held = :held)",
		Item{
			":scheduled": text(string(lifecycle.Scheduled)), ":due": ceilMillis(to), ":held": yes,
			":slot": text(slot(to.Add(time.Millisecond-1), shardOf(id))),
		}))
	return !lost && err == nil, err
}

// Park puts a queued job back into the table until a time: an operator's choice,
// or overload. Its message, when it arrives, is acknowledged. It does nothing
// (false) where the job changed since the record was read.
func (j *Jobs) Park(ctx context.Context, found Record, until time.Time) (bool, error) {
	// Key: the job's. Condition: queued, and that n. A lost race: claimed,
	// cancelled or published again.
	_, lost, err := j.write(ctx, "parking", found.ID, update(KeyOf(found.ID),
		"SET #state = :scheduled, #not_before_ms = :due, #due_ms = :due, #due_slot = :slot REMOVE #publish",
		"#state = :queued AND #n = :seen",
		Item{
			":queued": queued, ":scheduled": text(string(lifecycle.Scheduled)),
			":seen": number(found.N), ":due": ceilMillis(until),
			":slot": text(slot(until.Add(time.Millisecond-1), shardOf(found.ID))),
		}))
	return !lost && err == nil, err
}
