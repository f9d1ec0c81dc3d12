package limit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
	mine, err := s.change(ctx, "SET #slot = :next, #ttl = :ttl", next,
		store.Item{":next": text(next), ":ttl": s.slots.expires(now)})
	switch {
	case err != nil:
		return fmt.Errorf("limit: renewing a slot of %s: %w", s.slots.config.Name, err)
	case !mine:
		return fmt.Errorf("%w: one of %s", ErrLost, s.slots.config.Name)
	}
	s.entry = next
	return nil
}

// Release gives the slot back. One that another has by now stays where it is.
func (s *Slot) Release(ctx context.Context) error {
	return s.release(ctx, smooth(s.usual, s.slots.config.Now().Sub(s.taken)))
}

// release gives the slot back, and tells how long slots are usually held: an estimate,
// and the last one to write has it.
func (s *Slot) release(ctx context.Context, usual time.Duration) error {
	_, err := s.change(ctx, "SET #usual_ms = :usual REMOVE #slot", "", store.Item{":usual": number(usual.Milliseconds())})
	if err != nil {
		return fmt.Errorf("limit: giving back a slot of %s: %w", s.slots.config.Name, err)
	}
	return nil
}

// change writes to the row of a slot that is in these hands; false where it is in
// another's, or nobody's. next is what the slot says then.
func (s *Slot) change(ctx context.Context, update, next string, values store.Item) (mine bool, err error) {
	update = strings.ReplaceAll(update, "#slot", "#"+s.attribute())
	for range 2 {
		// Key: the limit's and its key's. Condition: the slot is in these hands.
		// Comes back on failure: the row. A lost race: the lease had ended and
		// another took it, or this was done and its answer lost. An entry of this
		// run that is another one is that of a renewal whose answer was lost.
		values[":mine"] = text(s.entry)
		_, err := s.slots.config.Driver.Write(ctx, change(s.row, update, "#"+s.attribute()+" = :mine", values))
		old, refused := refusedWith(err)
		if !refused {
			return err == nil, err
		}
		says := str(old[s.attribute()])
		if _, holder, _ := strings.Cut(says, "/"); says == next || holder != s.owner {
			return says == next, nil
		}
		s.entry = says
	}
	return false, nil
}

// smooth moves an estimate by an eighth of what it was off.
func smooth(usual, held time.Duration) time.Duration {
	if usual == 0 {
		return held
	}
	return usual + (held-usual)/8
}
