package idempotency

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// writeTries is how often a write is sent that fails. The driver repeats each
// itself.
const writeTries = 4

// writeWaits lie between the tries.
var writeWaits = backoff.Policy{Base: 50 * time.Millisecond, Floor: 10 * time.Millisecond, Cap: time.Second}

// How long the end of a run may take to write: the time that the caller has left,
// between these. A worker lets a handler go on for a second after its context.
const (
	leastToEnd = 800 * time.Millisecond
	mostToEnd  = 5 * time.Second
)

// write makes one conditional write. Where the condition failed, lost is true and
// found the record as it was. Every write names its token, so that it can be sent
// again when its fate is unknown.
func (r *Records) write(ctx context.Context, tries int, w store.Write) (found row, lost bool, err error) {
	for try := 1; ; try++ {
		item, err := r.config.Driver.Write(ctx, w)
		var failed *store.ConditionError
		switch {
		case err == nil:
			return readRow(item), false, nil
		case errors.As(err, &failed):
			return readRow(failed.Old), true, nil
		case try >= tries || errors.Is(err, store.ErrTooLarge):
			return row{}, false, err
		}
		if !pause(ctx, try) {
			return row{}, false, err
		}
	}
}

// pause waits after a try that failed. It is false where the time is over.
func pause(ctx context.Context, try int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(writeWaits.Longest(try)):
		return true
	}
}

// ending is the context for writing how a run ended: the caller's may be over.
func ending(ctx context.Context) (context.Context, context.CancelFunc) {
	left := mostToEnd
	if deadline, ok := ctx.Deadline(); ok {
		left = min(max(time.Until(deadline), leastToEnd), mostToEnd)
	}
	if ctx.Err() != nil {
		left = leastToEnd
	}
	return context.WithTimeout(context.WithoutCancel(ctx), left)
}

// release gives the claim back: fn failed, so the next caller is to try. A record
// whose time to live is over counts as absent, by every clock, and DynamoDB deletes
// it for nothing. Failing that, the claim ends by itself.
//
// The end of a claim that was taken over stays: what became of its owner is as
// unknown to the next caller as it was to this one.
func (r *Records) release(ctx context.Context, c claim, tries int) {
	ctx, cancel := ending(ctx)
	defer cancel()
	// Key: the record's. Condition: claimed under my token. A lost race: it was
	// taken over, or never claimed; there is nothing to give back then.
	_, _, err := r.write(ctx, tries, store.Write{
		Op: store.Update, Key: c.row,
		Update:    "SET #ttl = :over, #until = #before REMOVE #before",
		Condition: "#state = :claimed AND #token = :token",
		Names: map[string]string{
			"#ttl": store.ExpiresAt, "#until": "until_ms", "#before": "before_ms", "#state": "state", "#token": "token",
		},
		Values: store.Item{
			":over":    number(r.config.Now().Add(-lifecycle.LeaseMargin).Unix()),
			":claimed": text(stateClaimed), ":token": text(c.token),
		},
	})
	if err != nil {
		r.config.Logger.WarnContext(ctx, "an idempotency claim was not released: it ends by itself",
			"scope", c.key.Scope, "key", c.key.ID, "error", err.Error())
	}
}

// store writes the answer of a run. lost tells that the claim was taken over; the
// row is then the successor's.
func (r *Records) store(ctx context.Context, c claim, a answer) (found row, lost bool, err error) {
	now := r.config.Now()
	item := store.Item{
		store.PartitionKey: c.row[store.PartitionKey], store.SortKey: c.row[store.SortKey],
		"state": text(stateDone), "token": text(c.token), "fingerprint": text(c.fingerprint),
		"done_ms": number(now.UnixMilli()), store.ExpiresAt: number(now.Add(r.config.Retention).Unix()),
	}
	a.put(item)
	// Key: the record's. Condition: my token; or no record, or one that is over:
	// a successor took over and failed, and my answer is the only one. A lost
	// race: the successor runs, or is done. Applied twice it is the same.
	return r.write(ctx, writeTries, store.Write{
		Op: store.Put, Item: item,
		Condition: "attribute_not_exists(#pk) OR #token = :token OR #ttl <= :now",
		Names:     map[string]string{"#pk": store.PartitionKey, "#token": "token", "#ttl": store.ExpiresAt},
		Values:    store.Item{":token": text(c.token), ":now": number(now.Unix())},
	})
}
