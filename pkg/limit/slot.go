package limit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// ErrLost tells that a slot's lease ended, and that another may have it.
var ErrLost = errors.New("limit: the slot is lost")

// entry is what a slot says: until when it is held, in milliseconds of thirteen digits
// (until the year 2286), so that entries compare as their times do, and its owner.
func entry(until time.Time, owner string) string {
	return fmt.Sprintf("%013d/%s", until.UnixMilli(), owner)
}

// ended is greater than the entries of leases that others may take over by now.
func ended(now time.Time) string {
	return fmt.Sprintf("%013d", now.Add(-lifecycle.LeaseMargin).UnixMilli())
}

func slotAttribute(index int) string { return "slot_" + strconv.Itoa(index) }

// expires is when a row may go: when no slot of it is held any more.
func (s *Slots) expires(now time.Time) types.AttributeValue {
	return expires(now.Add(max(s.config.Lease, s.config.LongestWait)).UnixNano())
}

// Renew holds the slot for SlotsConfig.Lease from now on. ErrLost tells that another
// has it.
func (s *Slot) Renew(ctx context.Context) error {
	now := s.slots.config.Now()
	next := entry(now.Add(s.slots.config.Lease), s.owner)
	slot := "#" + s.attribute()
	// Key: the limit's and its key's. Condition: the slot is in these hands. Comes
	// back on failure: the row. A lost race: the lease had ended and another took
	// it; the entry that was to be written means that it was, and its answer lost.
	_, err := s.slots.config.Driver.Write(ctx, change(s.row, "SET "+slot+" = :next, #ttl = :ttl", slot+" = :mine",
		store.Item{":next": text(next), ":mine": text(s.entry), ":ttl": s.slots.expires(now)}))
	old, refused := refusedWith(err)
	switch {
	case refused && str(old[s.attribute()]) != next:
		return fmt.Errorf("%w: one of %s", ErrLost, s.slots.config.Name)
	case err != nil && !refused:
		return fmt.Errorf("limit: renewing a slot of %s: %w", s.slots.config.Name, err)
	}
	s.entry = next
	return nil
}

// Release gives the slot back. One that another has by now stays where it is.
func (s *Slot) Release(ctx context.Context) error {
	held := s.slots.config.Now().Sub(s.taken)
	slot := "#" + s.attribute()
	// Key: the limit's and its key's. Condition: the slot is in these hands. Comes
	// back on failure: the row. A lost race: the lease had ended and another took
	// it, or the slot was given back and the answer lost. How long slots are held
	// is an estimate, and the last one to write has it.
	_, err := s.slots.config.Driver.Write(ctx, change(s.row, "SET #usual_ms = :usual REMOVE "+slot, slot+" = :mine",
		store.Item{":mine": text(s.entry), ":usual": number(smooth(s.usual, held).Milliseconds())}))
	if _, refused := refusedWith(err); err != nil && !refused {
		return fmt.Errorf("limit: giving back a slot of %s: %w", s.slots.config.Name, err)
	}
	return nil
}

// smooth moves an estimate by an eighth of what it was off.
func smooth(usual, held time.Duration) time.Duration {
	if usual == 0 {
		return held
	}
	return usual + (held-usual)/8
}
