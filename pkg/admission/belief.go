package admission

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// leastDoubted is how many readings in a row have to say what was not believed.
const leastDoubted = 3

// A belief is what is taken for true of a queue, by readings of which some are not.
type belief struct {
	drain job.Rate
	doubt time.Duration
	// longest is the longest wait; zero where nobody looks at ages.
	longest time.Duration

	// reading is what is believed, made at a time; number counts those that were
	// believed, zero means none.
	reading Reading
	at      time.Time
	number  int
	// past is what was believed before; ahead is how many jobs waited when the oldest
	// one came, where that is known.
	past  past
	ahead int
	knows bool
	// doubted counts the readings in a row that were not believed, since a time;
	// highest is the deepest of them.
	doubted int
	since   time.Time
	highest Reading
}

// hear takes a reading in that was begun at a time, when so many jobs waited for a relay
// that is late.
func (b *belief) hear(r Reading, at time.Time, unrelayed int) {
	if b.number == 0 || b.doubt < 0 || !b.doubtful(r, at) {
		b.believe(r, at, unrelayed)
		return
	}
	if b.doubted == 0 {
		b.since, b.highest = at, r
	} else if r.Depth > b.highest.Depth {
		b.highest = r
	}
	b.doubted++
	b.reading.takeTable(r)
	if b.doubted >= leastDoubted && at.Sub(b.since) >= b.doubt {
		b.highest.takeTable(r)
		b.believe(b.highest, at, unrelayed)
	}
}

func (b *belief) believe(r Reading, at time.Time, unrelayed int) {
	b.reading, b.at, b.number, b.doubted = r, at, b.number+1, 0
	b.past.note(at, r.Depth+unrelayed)
	b.ahead, b.knows = b.past.depth(r.Oldest)
}

// sight is what the valves go by.
func (b *belief) sight(depth int, now time.Time) sight {
	s := sight{depth: depth, ahead: b.ahead, known: b.knows}
	if !b.reading.Oldest.IsZero() {
		s.waited = now.Sub(b.reading.Oldest)
	}
	if !b.reading.Due.IsZero() {
		s.due = now.Sub(b.reading.Due)
	}
	return s
}

// doubtful tells whether the workers can't have done what a reading says: drained
// more than their rate allows, or cleared what has waited for half the longest wait
// between two looks.
func (b *belief) doubtful(r Reading, at time.Time) bool {
	drained := max(int(float64(b.drain)*at.Sub(b.at).Seconds()), 1)
	if r.Depth < b.reading.Depth-drained {
		return true
	}
	if at.Sub(b.at) >= leastDoubted*b.doubt {
		return false // seldom asked, or frozen since: workers had the time
	}
	old := b.longest > 0 && !b.reading.Oldest.IsZero() && at.Sub(b.reading.Oldest) >= b.longest/2
	return old && r.Oldest.IsZero()
}
