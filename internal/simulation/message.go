package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// mostInFlight is how many messages of one standard queue may be received and not
// deleted at once.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const mostInFlight = 120_000

// A message is one of a standard SQS queue. It is taken in the order in which messages
// became visible; SQS promises less.
type message struct {
	job  int32
	life int32 // tells it from others that had its place
	// receipt is that of its last receive. What hides it is over when there is
	// another.
	receipt int32
	state   messageState
	since   time.Duration // when it became visible
}

type messageState uint8

const (
	gone messageState = iota
	travelling
	visible
	hidden
	held
)

// all is what SQS's counts add up to.
func (c counts) all() int { return c.visible + c.hidden + c.held }

// inFlight is what SQS counts so: a message that is hidden until a retry as well.
func (c counts) inFlight() int { return c.hidden + c.held }

func (c *counts) add(s messageState, n int) {
	switch s {
	case visible:
		c.visible += n
	case hidden:
		c.hidden += n
	case held:
		c.held += n
	case gone, travelling:
	}
}

// publish sends a job's message, by the relay.
func (w *world) publish(j int32) {
	at := w.relay.publish(w.now) + w.config.Delivery.Relay
	w.send(j, at)
	if w.config.Delivery.Duplicates > 0 && w.chance.faults.Float64() < w.config.Delivery.Duplicates {
		w.send(j, at)
	}
}

func (w *world) send(j int32, at time.Duration) {
	w.serial++
	w.jobs.at(j).refs++
	m := w.messages.add(message{job: j, life: w.serial, state: travelling})
	w.events.push(at, reaches, m, 0)
}

// appear makes a message visible.
func (w *world) appear(i int32) {
	m := w.messages.at(i)
	w.become(m, visible)
	m.since = w.now
	w.visible.push(pair{i, m.life})
}

// reappear ends what hid a message, where it is that receipt that did.
func (w *world) reappear(i, receipt int32) {
	if m := w.messages.at(i); m.receipt == receipt && (m.state == hidden || m.state == held) {
		w.appear(i)
	}
}

func (w *world) become(m *message, s messageState) {
	w.counts.add(m.state, -1)
	w.counts.add(s, 1)
	m.state = s
	if n := w.counts.visible; n == 0 {
		w.totals.empty(w.now)
	} else {
		w.totals.waiting(n, w.now)
		w.series.point.depth = max(w.series.point.depth, n)
	}
}

// receive takes the message that has been visible for longest; there must be one.
func (w *world) receive() int32 {
	for {
		p := w.visible.pop()
		m := w.messages.at(p.a)
		if m.life != p.b || m.state != visible {
			continue // deleted while it was visible
		}
		w.totals.PeakAge = max(w.totals.PeakAge, w.now-m.since)
		w.series.point.age = max(w.series.point.age, w.now-m.since)
		w.become(m, held)
		w.serial++
		m.receipt = w.serial
		return p.a
	}
}

// age is how long the oldest message has been visible.
func (w *world) age() time.Duration {
	for w.visible.n > 0 {
		p := w.visible.peek()
		if m := w.messages.at(p.a); m.life == p.b && m.state == visible {
			return w.now - m.since
		}
		w.visible.pop()
	}
	return 0
}

// delete deletes a message, whichever receipt asks for it: SQS says that an older one
// may do it.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
func (w *world) delete(i, life int32) {
	m := w.messages.at(i)
	if m.life != life || m.state == gone {
		return
	}
	j := m.job
	w.become(m, gone)
	m.life, m.receipt = 0, 0
	w.messages.remove(i)
	w.leave(j)
}

// hide keeps a message from workers until a time.
func (w *world) hide(i, receipt int32, until time.Duration) {
	if m := w.messages.at(i); m.receipt == receipt && m.state == held {
		w.become(m, hidden)
		w.events.push(max(until, w.now), appears, i, receipt)
	}
}

// comeDue publishes a job whose time in the table has come.
func (w *world) comeDue(i int32) {
	j := w.jobs.at(i)
	j.state = lifecycle.Queued
	w.publish(i)
}
