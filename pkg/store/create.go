package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A NewJob is a job to be made. ID and everything else is decided by the producer.
type NewJob struct {
	ID          job.ID
	Task        string
	Queue       string
	FIFO        bool
	MaxAttempts int
	// Args are the arguments as JSON; ArgsObject, where it is set, is where
	// they lie instead.
	Args       []byte
	ArgsObject *lifecycle.Object
	// Version is that of the arguments; zero means 1.
	Version int
	// NotBefore is the earliest start; zero means at once.
	NotBefore time.Time
	// Fingerprint is set where ID was derived from something stable.
	Fingerprint string
	// Unique, where it is set, asks that the job be the only one of its key.
	Unique *Unique
	Client string
	Trace  string
	// Probe names who wants to know that the job was published; empty for most.
	Probe string
	// Degraded tells the handler that it may do less.
	Degraded bool
	// Hard bounds the jobs of the queue, this one included; nil for most queues.
	Hard *Bound
	// Spill, where it is set, keeps the job in the table until it is released
	// (ReleaseSpilled), within a bound of its own. It is not for FIFO queues.
	Spill *Bound
	// OnlyReplacing makes no job: it takes the place of one that waits with its key.
	OnlyReplacing bool
	// AsOf is when what the job is about was so, where that is known: where the
	// newest wins, the later one does.
	AsOf time.Time
	// Follow is what the job's end entails; nil for most. See NewFollow.
	Follow *Follow
	// Follows tells whose end makes the job; nil for most.
	Follows *job.Follows
}

// ErrOtherRequest is returned where a job of that id exists that another request
// made: the same idempotency key, another body.
var ErrOtherRequest = errors.New("store: the id belongs to another request")

// Create writes a job's row. made is false where the same request had made it
// before: the record is then the job as it is now. The relay publishes the row
// unless its time is far off; then it waits as scheduled. made is false, too, where
// n is to be unique and another job has its key: the record is then that job.
// ErrFull is wrapped where a bound is reached, or OnlyReplacing found nothing to
// replace.
func (j *Jobs) Create(ctx context.Context, n NewJob) (rec Record, made bool, err error) {
	if n.OnlyReplacing {
		return j.onlyReplace(ctx, n)
	}
	if n.Unique != nil || n.bounded() {
		return j.createTogether(ctx, n)
	}
	now := j.now()
	rec = newRecord(n, now)
	old, lost, err := j.write(ctx, "creating", n.ID, createWrite(rec, now))
	switch {
	case err != nil:
		return Record{}, false, err
	case !lost:
		return rec, true, nil
	}
	return earlier(n, old)
}

// CreateAll makes jobs in one transaction. Those whose row is there already are left
// as they are: ErrOtherRequest where it is another request's. They are not unique,
// whatever they ask for. Those that are bounded are made before the others, one by
// one: ErrFull where there is no room for one of them.
func (j *Jobs) CreateAll(ctx context.Context, all []NewJob) error {
	var missing []NewJob
	for _, n := range all {
		n.Unique = nil
		if !n.bounded() {
			missing = append(missing, n)
		} else if _, _, err := j.createTogether(ctx, n); err != nil {
			return fmt.Errorf("store: creating %d jobs: %w", len(all), err)
		}
	}
	_, err := j.entail(ctx, nil, func() []consequence {
		creates := make([]consequence, len(missing))
		for i, n := range missing {
			creates[i] = consequence{j.JobWrite(n), func(old Item) error {
				missing = append(missing[:i:i], missing[i+1:]...)
				rec, err := Decode(old)
				if err == nil {
					_, _, err = earlier(n, rec)
				}
				return err
			}}
		}
		return creates
	})
	if err != nil {
		return fmt.Errorf("store: creating %d jobs: %w", len(all), err)
	}
	return nil
}

// earlier decides on the job that had n's id already.
func earlier(n NewJob, old Record) (Record, bool, error) {
	if old.Fingerprint != n.Fingerprint || old.Task != n.Task {
		return Record{}, false, fmt.Errorf("%w: %s", ErrOtherRequest, n.ID)
	}
	return old, false, nil
}

// JobWrite gives the write that makes a job, which belongs into a transaction with
// other writes. The job is neither unique nor bounded, whatever n asks for: see
// TransactMaking.
func (j *Jobs) JobWrite(n NewJob) Write {
	now := j.now()
	n.Unique, n.Hard, n.Spill = nil, nil, nil
	return createWrite(newRecord(n, now), now)
}

func createWrite(rec Record, now time.Time) Write {
	// Key: the job's. Condition: no row, or one whose time to live is over.
	// Comes back on failure: the row that is there. A lost race means that
	// the id was used: by this very call (its answer was lost), by an earlier
	// one of the same fingerprint, or by a stranger.
	condition := "attribute_not_exists(#pk) OR #ttl <= :now"
	return Write{
		Op: Put, Item: encodeNew(rec), Condition: condition,
		Names: namesIn(condition), Values: Item{":now": seconds(now)},
	}
}

func newRecord(n NewJob, now time.Time) Record {
	rec := Record{
		ID: n.ID, Task: n.Task, Queue: n.Queue, Args: n.Args, ArgsObject: n.ArgsObject, Version: max(n.Version, 1),
		Fingerprint: n.Fingerprint, Client: n.Client, Trace: n.Trace, Created: fromMillis(now),
		Row: lifecycle.Row{State: lifecycle.Queued, MaxAttempts: n.MaxAttempts}, Follow: n.Follow, Follows: n.Follows,
	}
	if n.Unique != nil {
		rec.Unique = n.Unique.Key
	}
	rec.Degraded, rec.AsOf = n.Degraded, n.AsOf
	at := fromMillis(now)
	if n.NotBefore.After(now) {
		rec.NotBefore = fromMillis(n.NotBefore.Add(time.Millisecond - 1))
		at = rec.NotBefore
	}
	if n.Spill != nil {
		rec.State, rec.Spilled = lifecycle.Scheduled, true
		if n.Hard != nil { // counted when it is released, and not to be moved past that
			rec.Hard = &Place{Share: n.Hard.share(0)}
		}
		return rec
	}
	if rec.NotBefore.Sub(now) > lifecycle.LongestDelay && !n.FIFO {
		rec.State = lifecycle.Scheduled
		return rec
	}
	rec.N = 1
	rec.Publication = &Publication{To: ToQueue(n.Queue), N: 1, At: at, Probe: n.Probe}
	return rec
}

// fromMillis cuts a time to what a row can hold.
func fromMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// encodeNew writes out a row that does not exist yet: absent and zero
// attributes are left out, since every KB is paid for at every write.
func encodeNew(rec Record) Item {
	item := KeyOf(rec.ID)
	item["state"] = text(string(rec.State))
	item["task"] = text(rec.Task)
	item["queue"] = text(rec.Queue)
	if rec.ArgsObject != nil {
		item["args_object"] = objectValue(*rec.ArgsObject)
	} else {
		item["args"] = text(string(rec.Args))
	}
	if rec.Version > 1 {
		item["version"] = number(rec.Version)
	}
	item["n"] = number(rec.N)
	item["attempt"] = number(rec.Attempt)
	item["max_attempts"] = number(rec.MaxAttempts)
	item["created_ms"] = millis(rec.Created)
	if !rec.NotBefore.IsZero() {
		item["not_before_ms"] = millis(rec.NotBefore)
	}
	switch {
	case rec.Spilled:
		item[DueSlot] = text(spillSlot(rec.Queue, shardOf(rec.ID)))
		item[DueAt] = millis(later(rec.Created, rec.NotBefore))
	case rec.State == lifecycle.Scheduled:
		item[DueSlot] = text(slot(rec.NotBefore, shardOf(rec.ID)))
		item[DueAt] = millis(rec.NotBefore)
	}
	if rec.Publication != nil {
		item[Publish] = rec.Publication.value()
	}
	if rec.Degraded {
		item["degraded"] = yes
	}
	if !rec.AsOf.IsZero() {
		item["as_of_ms"] = millis(rec.AsOf)
	}
	for _, count := range []Count{CountHard, CountSpilled} {
		if p := rec.place(count); p != nil {
			item[string(count)] = p.value()
		}
	}
	if rec.Follow != nil {
		item["follow"] = rec.Follow.written
	}
	if rec.Follows != nil {
		item["follows"] = followsValue(*rec.Follows)
	}
	for name, value := range map[string]string{"fingerprint": rec.Fingerprint, "client": rec.Client, "trace": rec.Trace, "unique": rec.Unique} {
		if value != "" {
			item[name] = text(value)
		}
	}
	return item
}
