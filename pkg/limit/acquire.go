package limit

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// closing is for how long a slot outlives the deadline of its work: work takes a moment
// to notice, and its slot is given back after it.
const closing = 10 * time.Second

// A Slot is the right to work for a key. It belongs to one run, and is not for sharing.
type Slot struct {
	slots *Slots
	row   store.Item
	index int
	entry string // as it stands in the row
	owner string
	taken time.Time
	// usual is how long slots of this key are held, as it was read.
	usual time.Duration
}

// A Full tells that all slots of a key are taken.
type Full struct {
	// Usual is how long one is usually held; zero where nobody knows yet.
	Usual time.Duration
}

// Acquire takes a slot of the key for an owner (a job's id), until the context's
// deadline and ten seconds, and for SlotsConfig.Lease at most. A slot that the owner
// has already is taken over: it is that of a run whose process died. Where all are
// taken the slot is nil. An error tells that the table did not answer.
func (s *Slots) Acquire(ctx context.Context, key, owner string) (*Slot, Full, error) {
	run, err := job.NewID(s.config.Random)
	if err != nil {
		return nil, Full{}, fmt.Errorf("limit: drawing a token: %w", err)
	}
	now := s.config.Now()
	mine := &Slot{
		slots: s, row: rowKey("slots", s.config.Name, key), index: s.first(owner),
		owner: owner + "/" + string(run), taken: now,
	}
	mine.entry = entry(now.Add(s.holdFor(ctx)), mine.owner)
	before := ""
	for range s.config.AtOnce + takeTries {
		row, err := s.config.Driver.Write(ctx, mine.take(before, now))
		old, refused := refusedWith(err)
		if err != nil && !refused {
			return nil, Full{}, fmt.Errorf("limit: taking a slot of %s for %.80q: %w", s.config.Name, key, err)
		}
		if refused {
			row = old
		}
		mine.usual = time.Duration(num(row["usual_ms"])) * time.Millisecond
		if str(row[mine.attribute()]) == mine.entry { // also where only its answer was lost
			return mine, Full{}, nil
		}
		var free bool
		if mine.index, before, free = s.free(row, owner, now); !free {
			return nil, Full{mine.usual}, nil
		}
	}
	return nil, Full{}, fmt.Errorf("limit: taking a slot of %s for %.80q: others were quicker: %w", s.config.Name, key, store.ErrConflict)
}

// first is the slot at which an owner looks first, the same one each time: runs of one
// job meet, and those of many spread.
func (s *Slots) first(owner string) int {
	hash := fnv.New32a()
	hash.Write([]byte(owner))
	return int(hash.Sum32() % uint32(s.config.AtOnce))
}

// holdFor is how long a slot is held from now on, unless it is renewed. Deadlines may
// lie farther away than a Duration reaches.
func (s *Slots) holdFor(ctx context.Context) time.Duration {
	work := s.config.Lease - closing
	if deadline, ok := ctx.Deadline(); ok {
		work = min(max(time.Until(deadline), 0), work)
	}
	return work + closing
}

// free finds a slot that can be had: the owner's own from a run before, or else one
// that nobody has any more. before is what it says.
func (s *Slots) free(row store.Item, owner string, now time.Time) (index int, before string, ok bool) {
	start := s.first(owner)
	for i := range s.config.AtOnce {
		at := (start + i) % s.config.AtOnce
		says := str(row[slotAttribute(at)])
		if ownedBy(says, owner) {
			return at, says, true
		}
		if !ok && says < ended(now) {
			index, before, ok = at, says, true
		}
	}
	return index, before, ok
}

// take is the write that takes the slot: one that nobody has, or that says what was
// read.
func (s *Slot) take(before string, now time.Time) store.Write {
	if before == "" {
		before = s.entry
	}
	slot := "#" + s.attribute()
	// Key: the limit's and its key's. Condition: the slot is free, its lease has
	// ended (with a margin for clocks), or it is in the same hands as read: those of
	// this owner. Comes back: the row; on failure as it was. A lost race: another
	// took the slot; my own entry means that it was applied and its answer lost.
	return change(s.row, "SET "+slot+" = :mine, #ttl = :ttl",
		"attribute_not_exists("+slot+") OR "+slot+" < :ended OR "+slot+" = :before",
		store.Item{":mine": text(s.entry), ":ended": text(ended(now)), ":before": text(before), ":ttl": s.slots.expires(now)})
}

func (s *Slot) attribute() string { return slotAttribute(s.index) }

// ownedBy tells whether an entry is that of a run of this owner, whose name may have
// slashes as well; the run's has none.
func ownedBy(entry, owner string) bool {
	_, holder, _ := strings.Cut(entry, "/")
	end := strings.LastIndexByte(holder, '/')
	return end >= 0 && holder[:end] == owner
}
