package simulation

import "time"

// A kind says what an event is.
type kind uint8

const (
	arrives kind = iota // a client has work
	returns             // a refused client is back: a is the request
	reaches             // a message reaches the queue: a
	appears             // a hidden message is visible again: a, where its receipt is still b
	due                 // a job that waits in the table is due: a
	ends                // a run ends: a is the invocation, b which of its batch
	crashes             // an invocation's process dies: a
	polls               // Lambda may add pollers
	wakes               // an outage begins or ends
	ticks               // a minute has passed
	samples             // the values of an interval are taken
)

// An event is what happens at a time. a and b say to what.
type event struct {
	at   time.Duration
	seq  uint64 // of two at the same time, the one that was planned first is first
	kind kind
	a, b int32
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// A heap gives events in their order. It is a heap of four branches, which is
// shallower than one of two, and holds values, so that an event costs no allocation.
type heap struct {
	events []event
	seq    uint64
}

func (h *heap) push(at time.Duration, kind kind, a, b int32) {
	h.seq++
	h.events = append(h.events, event{at, h.seq, kind, a, b})
	child := len(h.events) - 1
	added := h.events[child]
	for child > 0 {
		parent := (child - 1) / 4
		if !added.before(&h.events[parent]) {
			break
		}
		h.events[child] = h.events[parent]
		child = parent
	}
	h.events[child] = added
}

// pop gives the next event; there must be one.
func (h *heap) pop() event {
	first := h.events[0]
	last := len(h.events) - 1
	moved := h.events[last]
	h.events = h.events[:last]
	if last == 0 {
		return first
	}
	parent := 0
	for {
		least := 4*parent + 1
		if least >= last {
			break
		}
		for other := least + 1; other < min(4*parent+5, last); other++ {
			if h.events[other].before(&h.events[least]) {
				least = other
			}
		}
		if !h.events[least].before(&moved) {
			break
		}
		h.events[parent] = h.events[least]
		parent = least
	}
	h.events[parent] = moved
	return first
}

func (h *heap) empty() bool { return len(h.events) == 0 }
