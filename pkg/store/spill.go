package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// spillPrefix begins the due index's partitions of what is spilled, which no minute's
// does.
const spillPrefix = "spill#"

// spillSlot names the partition of a queue and a shard, one of DueShards.
func spillSlot(queue string, shard int) string {
	return fmt.Sprintf("%s%s#%02d", spillPrefix, queue, shard)
}

// Spilled gives the spilled jobs of a queue in one shard (0 to DueShards-1), those that
// came first or are due first at the beginning, up to a time: a page of at most limit.
// next continues; nil at the end. The index lags behind the table; ReleaseSpilled decides.
func (j *Jobs) Spilled(ctx context.Context, queue string, shard int, until time.Time, limit int, start Item) (spilled []DueJob, next Item, err error) {
	return j.dueIn(ctx, spillSlot(queue, shard), until, limit, start)
}

// ReleaseSpilled hands spilled jobs to their queue, from at on and every so much time
// later. Their places among the spilled are given back by the same transactions. Where
// hard is set, the queue counts its jobs: each takes a place there, and ErrFull ends
// it where there is none. Jobs that were released, moved or cancelled since are passed
// over. n is how many were released.
func (j *Jobs) ReleaseSpilled(ctx context.Context, spilled []DueJob, at time.Time, every time.Duration, hard *Bound) (n int, err error) {
	rows := map[counted][]Write{}
	for i, due := range spilled {
		rec, err := j.Get(ctx, due.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return n, err
		}
		if err != nil || !rec.Spilled || rec.Spill == nil {
			continue
		}
		c := counted{CountSpilled, rec.Queue, rec.Spill.Shard}
		when := at.Add(time.Duration(i) * every)
		if hard != nil {
			done, err := j.releaseCounted(ctx, c, rec, when, *hard)
			if n += done; err != nil {
				return n, err
			}
			continue
		}
		if rows[c] = append(rows[c], j.releaseSpilled(rec, when, nil)); len(rows[c]) == releasedTogether {
			done, err := j.giveBack(ctx, c, rows[c])
			if n += done; err != nil {
				return n, err
			}
			rows[c] = nil
		}
	}
	var problems []error
	for c, writes := range rows {
		done, err := j.giveBack(ctx, c, writes)
		n += done
		problems = append(problems, err)
	}
	return n, errors.Join(problems...)
}

// releaseSpilled queues a spilled job.
func (j *Jobs) releaseSpilled(rec Record, when time.Time, place *Place) Write {
	values := Item{
		":scheduled": text(string(lifecycle.Scheduled)), ":queued": queued, ":slot": text(spillSlot(rec.Queue, shardOf(rec.ID))),
		":seen": number(rec.N), ":n": number(rec.N + 1),
		":publish": Publication{To: ToQueue(rec.Queue), N: rec.N + 1, At: later(when, rec.NotBefore)}.value(),
	}
	set := "#state = :queued, #n = :n, #publish = :publish"
	if place != nil {
		set += ", #hard = :hard"
		values[":hard"] = place.value()
	}
	// Key: the job's. Condition: spilled, that n, and the place is held. A lost
	// race: released by another sweep, moved or cancelled.
	return j.leave(CountSpilled, rec, set, "#state = :scheduled AND #due_slot = :slot AND #n = :seen", values)
}

// releaseCounted releases a job into a queue that counts its jobs.
func (j *Jobs) releaseCounted(ctx context.Context, c counted, rec Record, when time.Time, hard Bound) (n int, err error) {
	place, lower := newSeat(CountHard, rec.Queue, hard, rec.ID, 1), false
	ctx, cancel := context.WithTimeout(ctx, RecountMargin/2) // as in giveBack
	defer cancel()
	for range togetherTries {
		failed, err := j.transactUpTo(ctx, contendedTries, []Write{
			j.releaseSpilled(rec, when, &place.Place), c.less(1, lower), place.write(),
		})
		switch {
		case err != nil:
			return 0, fmt.Errorf("store: releasing job %s: %w", rec.ID, err)
		case failed == nil:
			return 1, nil
		case failed[0] != nil:
			return 0, nil
		case failed[1] != nil:
			lower = !lower
		default:
			if err := place.refused(ctx, j); err != nil {
				return 0, fmt.Errorf("store: releasing job %s: %w", rec.ID, err)
			}
		}
	}
	return 0, fmt.Errorf("%w: releasing job %s: its place was taken %d times between", ErrConflict, rec.ID, togetherTries)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
