package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// RecountMargin is how far the clocks may differ of who makes and releases jobs and who
// counts them, and how long the write may take that releases one. A job that came or
// went so near to the beginning of a recount is counted.
const RecountMargin = 5 * time.Second

// BeginRecount notes on a counter how many it has as a pass over the table begins. A
// counter stands too high where the row of a job that it counts was deleted (by hand, or
// since nobody released it before its time to live was over). So:
//
//  1. BeginRecount notes the counter's number, a minute before the pass reads its first
//     row. It has to be done within half of RecountMargin, or the pass counts for nothing;
//  2. each row that was counted then, or may have been (CountedAt), is added by AddSeen;
//  3. EndRecount lowers the counter by what it had too many when the pass began.
//
// Jobs that come and go meanwhile change the counter and the truth alike: the difference
// between both stays, however busy the queue is. A row that is read twice, or only may
// have been counted, lets too many be seen, and the counter is lowered by less: it never
// falls below the truth.
func (j *Jobs) BeginRecount(ctx context.Context, c Counter, pass time.Time) error {
	// Key: the counter's. Condition: it is there. Repeating it before rows were
	// read does no harm.
	return j.recount(ctx, c, "SET #pass_ms = :pass, #base = #used, #seen = :zero", "attribute_exists(#used)",
		Item{":pass": millis(pass), ":zero": number(0)})
}

// AddSeen adds rows that a pass has read. It is to be done before the pass goes on from
// there. It does nothing where the counter's pass is another.
func (j *Jobs) AddSeen(ctx context.Context, c Counter, pass time.Time, rows int) error {
	// Key: the counter's. Condition: that pass. A lost race: it has ended.
	return j.recount(ctx, c, "ADD #seen :rows", "#pass_ms = :pass", Item{":pass": millis(pass), ":rows": number(rows)})
}

// EndRecount lowers a counter by what it had too many when the pass began, once, and
// gives how many that were. The counter is as it was read.
func (j *Jobs) EndRecount(ctx context.Context, c Counter, pass time.Time) (tooMany int, err error) {
	if tooMany = c.Base - c.Seen; tooMany <= 0 || !c.Pass.Equal(pass) {
		return 0, nil
	}
	// Key: the counter's. Condition: that pass, with what it has seen, and not
	// ended before. A lost race: ended by another.
	return tooMany, j.recount(ctx, c, "SET #used = #used - :less REMOVE #pass_ms, #base, #seen",
		"#pass_ms = :pass AND #seen = :seen AND #used >= :less",
		Item{":pass": millis(pass), ":seen": number(c.Seen), ":less": number(tooMany)})
}

// recount writes a counter's row. A condition that does not hold means that there is
// nothing to be done.
func (j *Jobs) recount(ctx context.Context, c Counter, set, condition string, values Item) error {
	_, err := j.driver.Write(ctx, update(counterKey(c.Count, c.Queue, c.Shard), set, condition, values))
	if err != nil && !errors.Is(err, ErrCondition) {
		return fmt.Errorf("store: recounting queue %s: %w", c.Queue, err)
	}
	return nil
}

// CountedAt gives the counters that counted a job at a time, or may have.
func (rec *Record) CountedAt(at time.Time) (by []Counter) {
	for _, count := range []Count{CountHard, CountSpilled} {
		p := rec.place(count)
		if p == nil || rec.Created.After(at.Add(RecountMargin)) || !p.Held && p.Released.Before(at.Add(-RecountMargin)) {
			continue
		}
		by = append(by, Counter{Count: count, Queue: rec.Queue, Shard: p.Shard})
	}
	return by
}
