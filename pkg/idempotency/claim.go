package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// closing is kept between the end of fn's context and the end of the claim: for a
// fn that needs a moment to notice, and for storing its answer.
const closing = 3 * time.Second

// claimTries bounds how often a claim is repeated whose record changed between.
const claimTries = 3

// A claim is a caller's hold on a key. It is a value of one call: key, payload
// and token are fixed before the first write.
type claim struct {
	key         Key
	row         store.Item
	fingerprint string
	token       string
	// hold is how long it holds from the time of asking.
	hold time.Duration
	// takenOver tells that a former owner's end is unknown.
	takenOver bool
}

// newClaim checks the key and draws the token.
func (r *Records) newClaim(ctx context.Context, key Key) (c claim, err error) {
	c = claim{key: key, hold: r.holdFor(ctx)}
	if c.row, err = key.row(); err != nil {
		return c, err
	}
	if c.fingerprint, err = key.fingerprint(); err != nil {
		return c, err
	}
	token, err := job.NewID(r.config.Random)
	if err != nil {
		return c, fmt.Errorf("idempotency: drawing a token: %w", err)
	}
	c.token = string(token)
	return c, nil
}

// holdFor is how long a claim holds: past the context's deadline, however near,
// and for as long as the configuration wants at least.
func (r *Records) holdFor(ctx context.Context) time.Duration {
	hold := r.config.Lease
	if deadline, ok := ctx.Deadline(); ok {
		hold = max(hold, time.Until(deadline)+closing)
	} else if hold == 0 {
		hold = DefaultLease
	}
	return max(hold, closing+time.Second)
}

// object is the key of the object for a large answer: the token keeps a late owner
// from writing over its successor's.
func (c claim) object() string {
	sum := sha256.Sum256([]byte(str(c.row[store.PartitionKey]) + str(c.row[store.SortKey])))
	return ObjectPrefix + hex.EncodeToString(sum[:]) + "/" + c.token
}

// claim asks for the key's record. Where it was done before, the row has the
// answer; else the claim is the caller's.
func (r *Records) claim(ctx context.Context, c *claim) (found row, err error) {
	for range claimTries {
		found, lost, err := r.claimOnce(ctx, *c)
		if err != nil {
			// It may have been applied. Nobody runs anything under it.
			r.release(ctx, *c, 1)
			return row{}, fmt.Errorf("idempotency: claiming %s: %w", c.key, err)
		}
		now := r.config.Now()
		switch {
		case !lost || found.state == stateClaimed && found.token == c.token:
			c.takenOver = !found.before.IsZero()
			return found, nil
		case found.gone(now):
			continue // released, or expired, since
		case found.fingerprint != c.fingerprint:
			return row{}, permanent(ErrOtherPayload, c.key, "its first use is kept for %v", r.config.Retention)
		case !found.readable():
			return row{}, permanent(ErrUnreadable, c.key, "state %.40q", found.state)
		case found.state == stateDone:
			return found, nil
		case found.free().After(now):
			return row{}, inProgress(c.key, found, now)
		}
	}
	return row{}, fmt.Errorf("idempotency: claiming %s: its record changed %d times between", c.key, claimTries)
}

func inProgress(key Key, found row, now time.Time) error {
	wait := max(found.free().Sub(now), time.Second)
	return &InProgressError{Key: key, Until: now.Add(wait), After: wait}
}

var claimNames = map[string]string{
	"#pk": store.PartitionKey, "#ttl": store.ExpiresAt, "#state": "state", "#token": "token",
	"#fingerprint": "fingerprint", "#until": "until_ms", "#before": "before_ms",
	"#result": "result", "#object": "object", "#object_bytes": "object_bytes", "#unkept": "unkept",
}

func (r *Records) claimOnce(ctx context.Context, c claim) (found row, lost bool, err error) {
	now := r.config.Now()
	until := now.Add(c.hold)
	// Key: the record's. Condition: no record, one that is over, or a claim for
	// the same payload that ended (with a margin for clocks; least keeps out
	// numbers that are no milliseconds). Comes back: the record, with the end of
	// the claim that was taken over; on failure as it was. A lost race: done
	// before, in progress elsewhere, or another payload's; my own token means
	// that the claim was applied and its answer lost.
	return r.write(ctx, writeTries, store.Write{
		Op: store.Update, Key: c.row,
		Update: "SET #state = :claimed, #token = :token, #fingerprint = :fingerprint, #until = :until, #ttl = :ttl," +
			" #before = if_not_exists(#until, :none) REMOVE #result, #object, #object_bytes, #unkept",
		Condition: "attribute_not_exists(#pk) OR #ttl <= :now OR" +
			" (#state = :claimed AND #fingerprint = :fingerprint AND #until BETWEEN :least AND :ended)",
		Names: claimNames,
		Values: store.Item{
			":claimed": text(stateClaimed), ":token": text(c.token), ":fingerprint": text(c.fingerprint),
			":until": number(until.UnixMilli()), ":none": number(0),
			":ttl": number(until.Add(r.config.Retention).Unix()), ":now": number(now.Unix()),
			":least": number(leastMillis), ":ended": number(now.Add(-lifecycle.LeaseMargin).UnixMilli()),
		},
	})
}
