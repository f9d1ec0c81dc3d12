package store

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// take counts so many jobs more in a shard.
func take(count Count, queue string, p Place, by int) Write {
	condition := "#used <= :before"
	if by <= p.Share {
		condition = "attribute_not_exists(#used) OR " + condition
	}
	// Key: the counter's. Condition: it has room for them; the first ones make the
	// row. A lost race: others took what was left.
	return update(counterKey(count, queue, p.Shard), "ADD #used :by", condition,
		Item{":by": number(by), ":before": number(p.Share - by)})
}

// A seat is what is asked of a counter for some jobs that are made together, or a job
// that starts anew.
type seat struct {
	count Count
	queue string
	bound Bound
	// by is how many jobs ask.
	by int
	// from spreads those who ask over the shards.
	from int
	// next are the shards to be asked, after the first.
	next  []int
	asked bool
	Place
}

// otherShards is how many shards are asked, besides the first, before a job is refused.
// They are those with the most room, so that it is refused while there is some only
// where others take it at the same time.
const otherShards = 3

// newSeat begins with the shard that follows from an id.
func newSeat(count Count, queue string, bound Bound, id job.ID, by int) *seat {
	s := &seat{count: count, queue: queue, bound: bound, by: by, from: int(hashOf(string(id)) % uint32(max(bound.Shards, 1)))}
	s.sit(s.from)
	return s
}

func (s *seat) sit(shard int) { s.Place = Place{Shard: shard, Share: s.bound.share(shard), Held: true} }

// write takes the place.
func (s *seat) write() Write { return take(s.count, s.queue, s.Place, s.by) }

// mark notes the place on a row that is to be written.
func (s *seat) mark(rec *Record) {
	p := s.Place
	if s.count == CountHard {
		rec.Hard = &p
	} else {
		rec.Spill = &p
	}
}

// refused goes to another shard; ErrFull where none has room.
func (s *seat) refused(ctx context.Context, j *Jobs) error {
	if !s.asked {
		s.asked = true
		counters, err := j.counters(ctx, s.count, s.queue, s.bound.Shards)
		if err != nil {
			return err
		}
		s.next = s.roomiest(counters)
	}
	if len(s.next) == 0 {
		return fmt.Errorf("%w: the limit of %d %s jobs of queue %s, counted exactly, is reached", ErrFull, s.bound.Limit, s.count, s.queue)
	}
	s.sit(s.next[0])
	s.next = s.next[1:]
	return nil
}

// roomiest gives the shards that have room, those with the most first.
func (s *seat) roomiest(counters []Counter) []int {
	used := make([]int, s.bound.Shards)
	for _, c := range counters {
		if c.Shard < len(used) {
			used[c.Shard] = c.Used
		}
	}
	var found []int
	for i := range used {
		shard := (s.from + i) % len(used) // equals are begun with by everybody elsewhere
		room := s.bound.share(shard) - used[shard]
		if room < s.by {
			continue
		}
		at := len(found)
		for at > 0 && s.bound.share(found[at-1])-used[found[at-1]] < room {
			at--
		}
		found = append(found[:at], append([]int{shard}, found[at:]...)...)
	}
	return found[:min(len(found), otherShards)]
}
