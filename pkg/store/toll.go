package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A Member is a job's place in a batch. A batch counts its jobs in shards, so that a
// hundred thousand of them have no row in common; the last one of a shard tells the
// batch, and the last shard ends it.
type Member struct {
	// Batch is the batch's id, and Seed what the ids of its rows follow from.
	Batch, Seed string
	// Shard counts the job, among Size jobs in all.
	Shard, Size int
}

// memberBytes is more than a Member takes in a row besides the batch's id.
const memberBytes = 80

// addTo writes what memberOf reads.
func (m *Member) addTo(attribute Item) {
	if m != nil {
		attribute["batch"], attribute["seed"] = text(m.Batch), text(m.Seed)
		attribute["shard"], attribute["size"] = number(m.Shard), number(m.Size)
	}
}

func memberOf(m Item) *Member {
	if m["batch"] == nil {
		return nil
	}
	return &Member{Batch: str(m["batch"]), Seed: str(m["seed"]), Shard: int(num(m["shard"])), Size: int(num(m["size"]))}
}

// shardsTogether is how many shards have one partition key: they are read together,
// and a partition takes 500 such ends a second.
const shardsTogether = 16

const shardPrefix = "shard#"

func shardPartition(seed string, shard int) types.AttributeValue {
	return text(fmt.Sprintf("%s%s#%02d", shardPrefix, seed, shard/shardsTogether))
}

func shardKey(seed string, shard int) Item {
	return Item{PartitionKey: shardPartition(seed, shard), SortKey: text(fmt.Sprintf("shard#%03d", shard))}
}

// shardRetention is how long the row of a shard is kept whose jobs have all ended:
// until nothing can come of it any more. The batch may wait for a job of another
// shard that was planned as far ahead as jobs may be.
const shardRetention = lifecycle.LongestWait + lifecycle.DeadRetention

// outcomes are the names of a batch's counts.
const (
	countDone      = "done"
	countDead      = "dead"
	countCancelled = "cancelled"
	countSkipped   = "skipped"
)

var counts = [...]string{countDone, countDead, countCancelled, countSkipped}

// A tally is how many jobs ended how.
type tally map[string]int64

func tallyOf(row Item) tally {
	t := tally{}
	for _, name := range counts {
		if n := num(row[name]); n > 0 {
			t[name] = n
		}
	}
	return t
}

// A toll is what the end of a job takes off its batch.
type toll struct {
	Member
	// as is the count that it adds to, and by how many jobs it stands for.
	as string
	by int

	// What is learnt from conditions that did not hold:
	// closing tells that nobody else is left in the shard, whose tally before
	// is shard.
	closing bool
	shard   tally
	// last is the batch where nobody else is left in it.
	last *Batch
	// after tells that the job of the batch's end is there already, free that
	// the batch is gone, and paid that there is nothing to take off.
	after, free, paid bool
}

// mostToll is how many writes it takes at most: those of the last job of a batch.
const mostToll = 3

func newToll(m Member, state lifecycle.State) *toll {
	as := map[lifecycle.State]string{lifecycle.Done: countDone, lifecycle.Dead: countDead, lifecycle.Cancelled: countCancelled}[state]
	return &toll{Member: m, as: as, by: 1, closing: m.Size == 1}
}

// consequences are the writes, as far as is known.
func (t *toll) consequences(j *Jobs) []consequence {
	now := j.now()
	switch {
	case t.paid:
		return nil
	case !t.closing:
		return []consequence{{t.count(), t.refusedByShard}}
	case t.free:
		return []consequence{{t.close(now), t.refusedByShard}}
	case t.last == nil:
		return []consequence{{t.close(now), t.refusedByShard}, {t.tell(), t.refusedByBatch}}
	}
	all := []consequence{{t.close(now), t.refusedByShard}, {t.endBatch(now), t.refusedByBatch}}
	if !t.after {
		all = append(all, consequence{j.JobWrite(t.last.after(now)), func(Item) error { t.after = true; return nil }})
	}
	return all
}

// count takes the jobs off a shard that has others. The first one of a shard makes its
// row.
func (t *toll) count() Write {
	// Key: the shard's. Condition: not made yet, or others are left (and, for
	// jobs that are not to come, not done before). Comes back on failure: the
	// row. A lost race: these are the last, or (skipped) were taken off before.
	return update(shardKey(t.Seed, t.Shard),
		"SET #left = if_not_exists(#left, :size) - :by ADD #"+t.as+" :by",
		t.once("(attribute_not_exists(#left) OR #left > :by)"),
		Item{":size": number(t.Size), ":by": number(t.by)})
}

// close takes off the last jobs of a shard.
func (t *toll) close(now time.Time) Write {
	condition := "#left = :by"
	if t.by == t.Size {
		condition = "attribute_not_exists(#left)"
	}
	// Key: the shard's. Condition: only these are left. Comes back on failure:
	// the row. A lost race: the shard was closed before.
	return update(shardKey(t.Seed, t.Shard),
		"SET #left = :zero, #ttl = :ttl ADD #"+t.as+" :by", t.once(condition),
		Item{":by": number(t.by), ":zero": number(0), ":ttl": seconds(now.Add(shardRetention))})
}

// once adds that jobs are skipped once: no row of their own tells.
func (t *toll) once(condition string) string {
	if t.as == countSkipped {
		return condition + " AND attribute_not_exists(#skipped)"
	}
	return condition
}

// refusedByShard learns how the shard stands.
func (t *toll) refusedByShard(row Item) error {
	left := num(row["left"])
	switch {
	case t.as == countSkipped && row[countSkipped] != nil, left == 0:
		t.paid = true
	case left == int64(t.by):
		t.closing, t.shard = true, tallyOf(row)
	case left < int64(t.by):
		return fmt.Errorf("%w: batch %s: %d of its jobs are said not to come, and shard %d waits for %d only", ErrInvalid, t.Batch, t.by, t.Shard, left)
	}
	return nil
}

// tell tells the batch that a shard is closed, while others are not.
func (t *toll) tell() Write {
	add, values := t.total()
	values[":one"], values[":seed"] = one, text(t.Seed)
	// Key: the batch's. Condition: the same batch, and other shards are open.
	// Comes back on failure: the row, with the job of the batch's end. A lost
	// race: this is the last shard, or the batch is gone.
	return update(BatchKey(t.Batch), "SET #open = #open - :one"+add, "#seed = :seed AND #open > :one", values)
}

// endBatch tells the batch that its last shard is closed.
func (t *toll) endBatch(now time.Time) Write {
	add, values := t.total()
	values[":one"], values[":seed"], values[":zero"] = one, text(t.Seed), number(0)
	values[":now"], values[":ttl"] = millis(now), seconds(t.last.expires(now))
	// Key: the batch's. Condition: the same batch, and this is its last shard.
	// Comes back on failure: the row. A lost race: it has ended.
	return update(BatchKey(t.Batch), "SET #open = :zero, #finished_ms = :now, #ttl = :ttl"+add, "#seed = :seed AND #open = :one", values)
}

// total adds the shard's tally, these jobs included, to the batch's.
func (t *toll) total() (add string, values Item) {
	sum := tally{t.as: int64(t.by)}
	for name, n := range t.shard {
		sum[name] += n
	}
	values = Item{}
	var parts []string
	for _, name := range counts {
		if n := sum[name]; n > 0 {
			parts = append(parts, "#"+name+" :"+name)
			values[":"+name] = number(n)
		}
	}
	return " ADD " + strings.Join(parts, ", "), values
}

// refusedByBatch learns how the batch stands.
func (t *toll) refusedByBatch(row Item) error {
	if row == nil || str(row["seed"]) != t.Seed || num(row["open"]) < 1 {
		t.free, t.last = true, nil // deleted by somebody, or ended
		return nil
	}
	t.last = nil
	if num(row["open"]) == 1 {
		b, err := batchOf(row)
		t.last = &b
		return err
	}
	return nil
}
