package limit

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// takeTries bounds how often a take is repeated whose row changed between.
const takeTries = 6

// Take takes a token of the key, if there is one. Where this process knows that there
// is none it writes nothing, however often it is asked. An error tells that the table
// did not answer, or not in time; whether to go on then is the caller's to decide. A
// token whose answer was lost is spent.
func (b *Bucket) Take(ctx context.Context, key string) (Decision, error) {
	now := b.config.Now()
	local, n := b.known.take(key, now, b.config)
	switch {
	case local.left:
		d := b.decision(true, local.full, now.UnixNano())
		d.Remaining += local.more
		return d, nil
	case b.room(local.full, now.UnixNano()) == 0 && !b.beyond(local.full, now.UnixNano()):
		return b.decision(false, local.full, now.UnixNano()), nil
	}
	d, full, got, err := b.take(ctx, key, local.full, n, now.UnixNano())
	if err != nil {
		return Decision{}, fmt.Errorf("limit: taking a token of %s for %.80q: %w", b.config.Name, key, err)
	}
	b.known.took(key, full, got, now, b.config.Hold)
	if got > 0 {
		d.Remaining += got - 1
	}
	return d, nil
}

// take takes up to n tokens from the table: all of them, or as many as there are.
// before is when the bucket will be full, as it was seen last; zero where it never was.
func (b *Bucket) take(ctx context.Context, key string, before int64, n int, now int64) (d Decision, full int64, got int, err error) {
	token, err := job.NewID(b.config.Random)
	if err != nil {
		return d, 0, 0, err
	}
	row := rowKey("rate", b.config.Name, key)
	for range takeTries {
		mending := b.beyond(before, now)
		found, err := b.config.Driver.Write(ctx, b.takeWrite(row, before, n, now, string(token)))
		old, refused := refusedWith(err)
		switch {
		case err == nil && mending:
			return b.decision(false, now+b.burst, now), now + b.burst, 0, nil
		case err == nil:
			full = num(found["full_ns"])
			return b.decision(true, full, now), full, n, nil
		case !refused:
			return d, 0, 0, err
		}
		before = num(old["full_ns"])
		if str(old["take"]) == string(token) { // applied; its answer was lost
			return b.decision(true, before, now), before, n, nil
		}
		switch room := b.room(before, now); {
		case b.beyond(before, now):
		case room == 0:
			return b.decision(false, before, now), before, 0, nil
		default:
			n = min(n, room)
		}
	}
	return d, 0, 0, fmt.Errorf("the row changed %d times between: %w", takeTries, store.ErrConflict)
}

// expires is when a row may go: when its bucket is full and nobody is in line.
func (b *Bucket) expires(now int64) types.AttributeValue {
	return expires(now + max(b.burst, int64(b.config.LongestWait)))
}

// beyond tells that a row is no reading of this limit: its bucket would be emptier
// than empty, by more than clocks lie apart. A clock was far ahead, or the limit was
// another one.
func (b *Bucket) beyond(full, now int64) bool {
	return full > now+b.burst+int64(lifecycle.LeaseMargin)
}

// takeWrite takes n tokens, given when the bucket will be full as it was read last.
// Tokens are time: each moves full_ns, the moment at which the bucket is full, further
// into the future, never beyond the time that Burst tokens take to come.
func (b *Bucket) takeWrite(row store.Item, before int64, n int, now int64, token string) store.Write {
	cost := int64(n) * b.every
	values := store.Item{
		":now": number(now), ":cost": number(cost), ":room": number(now + b.burst - cost), ":then": number(now + cost),
		":before": number(before), ":empty": number(now + b.burst), ":take": text(token), ":ttl": b.expires(now),
	}
	switch {
	case b.beyond(before, now):
		// Key: the key's. Condition: the row as it was read. Comes back: the
		// row, as that of an empty bucket; nothing is taken. A lost race:
		// another has put it right.
		return change(row, "SET #full_ns = :empty, #ttl = :ttl REMOVE #take", "#full_ns = :before", values)
	case before < now:
		// Key: the key's. Condition: no row, or a bucket that is full. Comes
		// back: the row; on failure as it was. A lost race: others took from
		// it; my own token means that it was applied and its answer lost.
		return change(row, "SET #full_ns = :then, #take = :take, #ttl = :ttl", "attribute_not_exists(#full_ns) OR #full_ns < :now", values)
	}
	// Key: the key's. Condition: a bucket that is not full and has n tokens, from
	// which this call has not taken yet. Takes of others need not be repeated: they
	// add up. Comes back: the row; on failure as it was. A lost race: fewer are left.
	return change(row, "SET #full_ns = #full_ns + :cost, #take = :take, #ttl = :ttl", "#full_ns BETWEEN :now AND :room AND #take <> :take", values)
}
