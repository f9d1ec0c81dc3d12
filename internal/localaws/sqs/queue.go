package sqs

import (
	"slices"
	"sort"

	"github.com/nightshift-go/nightshift/internal/fairqueue"
)

// A queue is one queue's settings and the index of its messages: those that can
// be received, those that come later (delayed or in flight), and all by age.
// The DB's mutex guards it.
type queue struct {
	record
	settings settings
	arn      string
	key      uint32 // of its receipt handles

	messages map[uint64]*message
	ready    *heapOf[*message]            // visible ones of a standard queue, without a group
	tenants  map[string]*heapOf[*message] // and those with one, by group
	shares   fairqueue.Shares
	open     *heapOf[*group]   // groups of a FIFO queue that can be received from
	later    *heapOf[*message] // delayed and in flight, by when they become visible
	ages     *heapOf[*message]
	groups   map[string]*group
	inFlight int

	duplicates duplicates
	attempts   map[string]attempt
	waiters    []chan struct{}
	stopTimer  func() bool // nil without one
	deleted    bool

	told func(any bool) // nil where nobody wants to know
	some bool           // what was told last
}

// record is what the store keeps of a queue.
type record struct {
	Name       string            `json:"name"`
	Attributes map[string]string `json:"attributes"`
	Tags       map[string]string `json:"tags,omitempty"`
	Created    int64             `json:"created"`
	Modified   int64             `json:"modified"`
}

func newQueue(r record, s settings, arn string, ready func(queueARN string, any bool)) *queue {
	q := &queue{
		record: r, settings: s, arn: arn, key: queueKey(r.Name, r.Created),
		messages: map[uint64]*message{},
		groups:   map[string]*group{},
		tenants:  map[string]*heapOf[*message]{},
		attempts: map[string]attempt{},
		ready:    &heapOf[*message]{before: sooner, moved: place},
		later:    &heapOf[*message]{before: sooner, moved: place},
		ages: &heapOf[*message]{
			before: func(a, b *message) bool { return a.Enqueued < b.Enqueued },
			moved:  func(m *message, i int) { m.age = i },
		},
		open: &heapOf[*group]{
			before: func(a, b *group) bool { return a.messages[0].seq < b.messages[0].seq },
			moved:  func(g *group, i int) { g.index = i },
		},
	}
	if ready != nil {
		q.told = func(any bool) { ready(arn, any) }
	}
	return q
}

// tell tells who wants to know whether a message can be received, when that changed.
func (q *queue) tell() {
	some := !q.deleted && q.ready.len()+len(q.tenants)+q.open.len() > 0
	if q.told == nil || some == q.some {
		return
	}
	q.some = some
	q.told(some)
}

// visible is the number of messages that are neither delayed nor in flight.
func (q *queue) visible() int { return len(q.messages) - q.later.len() }

// delayed is the number of messages that were not received yet and cannot be.
func (q *queue) delayed() int { return q.later.len() - q.inFlight }

// add puts a message into the index.
func (q *queue) add(m *message, now int64) {
	q.messages[m.seq] = m
	q.ages.push(m)
	if g := q.group(m); g != nil {
		if g.index >= 0 { // its first message, by which it is sorted, may change
			q.open.remove(g.index)
		}
		at := sort.Search(len(g.messages), func(i int) bool { return g.messages[i].seq > m.seq })
		g.messages = slices.Insert(g.messages, at, m)
	}
	q.place(m, now)
}

// remove takes a message out of the index.
func (q *queue) remove(m *message) {
	q.unplace(m)
	delete(q.messages, m.seq)
	if m.age >= 0 {
		q.ages.remove(m.age)
	}
	if g := q.group(m); g != nil {
		at := sort.Search(len(g.messages), func(i int) bool { return g.messages[i].seq >= m.seq })
		if g.index >= 0 {
			q.open.remove(g.index)
		}
		g.messages = slices.Delete(g.messages, at, at+1)
		if len(g.messages) == 0 {
			delete(q.groups, g.name)
		} else {
			q.reopen(g)
		}
	}
	q.tell()
}

// group gives the message's group, nil in a standard queue, where the group id
// is a mark of fairness only.
func (q *queue) group(m *message) *group {
	if !q.settings.fifo {
		return nil
	}
	g := q.groups[m.Group]
	if g == nil {
		g = &group{name: m.Group, index: -1}
		q.groups[m.Group] = g
	}
	return g
}

// place puts a message among the ready or the later ones, as its state says, and
// wakes a long poll if the message can be received.
func (q *queue) place(m *message, now int64) {
	g := q.group(m)
	switch {
	case m.Visible > now || m.InFlight && m.Received == now: // received with a timeout of 0: not twice in one answer
		if m.InFlight {
			q.flies(m, g, 1)
		}
		m.heap = q.later
		m.heap.push(m)
	case g == nil:
		m.InFlight = false
		m.heap = q.readyFor(m)
		m.heap.push(m)
		q.wake(1)
	default:
		m.InFlight = false
	}
	if g != nil {
		q.reopen(g)
	}
	q.tell()
}

// unplace undoes place.
func (q *queue) unplace(m *message) {
	g := q.group(m)
	if m.heap != nil {
		if m.heap == q.later && m.InFlight {
			q.flies(m, g, -1)
		}
		m.heap.remove(m.index)
		if m.heap.len() == 0 && m.heap == q.tenants[m.Group] {
			delete(q.tenants, m.Group)
		}
		m.heap = nil
	}
	if g != nil {
		q.reopen(g)
	}
	q.tell()
}

// reopen puts a group among the open ones, or takes it out: it is open if none
// of its messages is in flight and its first one is visible.
func (q *queue) reopen(g *group) {
	open := g.inFlight == 0 && len(g.messages) > 0 && g.messages[0].heap == nil
	switch {
	case open && g.index < 0:
		q.open.push(g)
		q.wake(1)
	case !open && g.index >= 0:
		q.open.remove(g.index)
	}
	q.tell()
}

// settle makes visible what has become so by now.
func (q *queue) settle(now int64) {
	for q.later.len() > 0 && q.later.first().Visible <= now {
		m := q.later.first()
		q.unplace(m)
		m.InFlight = false
		q.place(m, now)
	}
}

// pick takes up to n visible messages out of the ready ones, in order of
// delivery. Messages for which dead says so are given apart and not counted.
// The caller places every one of them again.
func (q *queue) pick(n int, dead func(*message) bool) (live, letters []*message) {
	take := func(m *message) {
		if dead != nil && dead(m) {
			letters = append(letters, m)
		} else {
			live = append(live, m)
		}
	}
	for len(live) < n && q.ready.len()+len(q.tenants) > 0 {
		m := q.next()
		q.unplace(m)
		take(m)
	}
	for len(live) < n && q.open.len() > 0 {
		g := q.open.pop()
		for _, m := range g.messages {
			if len(live) == n || m.heap != nil {
				break
			}
			take(m)
		}
	}
	return live, letters
}
