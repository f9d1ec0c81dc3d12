package store

import (
	"context"
	"fmt"
)

// closedWith is the attribute of a batch's row that says how many jobs it has, where
// that is fewer than it was to have.
const closedWith = "members"

// SkipFrom says that no job of an index of from or above will come: the batch waits
// for the others only. Repeating it does no harm, and ends what a call began that
// died; another from is ErrInvalid.
func (j *Jobs) SkipFrom(ctx context.Context, b Batch, from int) error {
	if from = max(from, 0); from >= b.Total {
		return nil
	}
	if err := j.closeWith(ctx, b, from); err != nil {
		return fmt.Errorf("store: closing batch %q: %w", b.ID, err)
	}
	for shard := range b.Shards {
		k := b.among(shard, from)
		if k == 0 {
			continue
		}
		m := Member{Batch: b.ID, Seed: b.Seed, Shard: shard, Size: b.among(shard, 0)}
		t := &toll{Member: m, as: countSkipped, by: k, closing: k == m.Size}
		if _, err := j.entail(ctx, nil, func() []consequence { return t.consequences(j) }); err != nil {
			return fmt.Errorf("store: closing batch %q: %w", b.ID, err)
		}
	}
	return nil
}

// closeWith notes how many jobs a batch has, before any of its shards is told: a call
// that dies between two shards is known to whoever goes on, and a job of an index
// above would be counted as one that a shard still waits for.
func (j *Jobs) closeWith(ctx context.Context, b Batch, members int) error {
	// Key: the batch's. Condition: the same batch, and not closed with another
	// number. Comes back on failure: the row. A lost race: closed otherwise, or the
	// batch is gone.
	failed, err := j.transact(ctx, update(BatchKey(b.ID), "SET #members = :members",
		"#seed = :seed AND (attribute_not_exists(#members) OR #members = :members)",
		Item{":members": number(members), ":seed": text(b.Seed)}))
	if err != nil || failed == nil {
		return err
	}
	if row := failed[0].Old; row != nil && str(row["seed"]) == b.Seed {
		return fmt.Errorf("%w: it was closed with %d jobs before, and is to have %d now", ErrInvalid, num(row[closedWith]), members)
	}
	return nil // nobody waits any more
}
