package sns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A pending is a message with the queues that are still to get it.
type pending struct {
	Topic   string     `json:"topic"`
	Message message    `json:"message"`
	To      []delivery `json:"to"`

	seq uint64
}

// A delivery is one message for one queue, as its subscription was when the message
// was published.
type delivery struct {
	Subscription string `json:"subscription"`
	Queue        string `json:"queue"` // ARN
	Raw          bool   `json:"raw,omitempty"`
	DeadLetters  string `json:"dead_letters,omitempty"` // ARN of a queue
	Refused      bool   `json:"refused,omitempty"`      // Queue is that for dead letters
}

// An Outgoing is one message for a queue.
type Outgoing struct {
	// Body is the message, raw or in its envelope.
	Body string
	// Attributes are those of a raw message.
	Attributes map[string]Attribute
	// Group is for FIFO queues, and for fairness in others; Dedup for FIFO ones.
	Group, Dedup string
	// Trace is the X-Ray header.
	Trace string
}

// One call to a queue takes ten messages and, together, 1 MiB.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
const (
	maxSend      = 10
	maxSendBytes = 1 << 20
)

// retry delivers what is still owed, at once and then from time to time.
func (db *DB) retry() {
	ticker := time.NewTicker(db.cfg.RetryEvery)
	defer ticker.Stop()
	for {
		db.mu.Lock()
		if !db.closed && len(db.waiting) > 0 {
			db.deliver()
		}
		db.mu.Unlock()
		select {
		case <-db.done:
			return
		case <-ticker.C:
		}
	}
}

// deliver goes through all that is owed, in the order of publication, and notes what
// the queues took. Should the process die before that, they get it again.
func (db *DB) deliver() {
	for _, queue := range db.owing() {
		db.deliverTo(queue)
	}
	var settled []*pending
	db.waiting = slices.DeleteFunc(db.waiting, func(p *pending) bool {
		if len(p.To) == 0 {
			settled = append(settled, p)
		}
		return len(p.To) == 0
	})
	if len(settled) == 0 {
		return
	}
	err := db.write(func(tx *bolt.Tx) error {
		for _, p := range settled {
			if err := tx.Bucket(pendingBucket).Delete(seqKey(p.seq)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		db.cfg.Log("what was delivered is not noted, and will be delivered again after the next start: " + err.Error())
	}
}

// owing gives the queues that are owed something, once each.
func (db *DB) owing() []string {
	var queues []string
	for _, p := range db.waiting {
		for _, d := range p.To {
			if !slices.Contains(queues, d.Queue) {
				queues = append(queues, d.Queue)
			}
		}
	}
	return queues
}

// deliverTo sends a queue what it is owed, in order, and stops at the first call of
// which it didn't take all for now.
func (db *DB) deliverTo(queue string) {
	var batch []*pending
	var messages []Outgoing
	size := 0
	flush := func() bool {
		ok := db.send(queue, batch, messages)
		batch, messages, size = nil, nil, 0
		return ok
	}
	for _, p := range db.waiting {
		for _, d := range slices.Clone(p.To) { // a flush takes away
			if d.Queue != queue {
				continue
			}
			m := db.outgoing(p, d)
			if len(batch) > 0 && (len(batch) == maxSend || size+m.size() > maxSendBytes) && !flush() {
				return
			}
			batch, messages, size = append(batch, p), append(messages, m), size+m.size()
		}
	}
	if len(batch) > 0 {
		flush()
	}
}

func (m Outgoing) size() int {
	return (&message{Body: m.Body, Attributes: m.Attributes}).measure()
}

// send makes one call, and tells whether nothing is left to be tried again.
func (db *DB) send(queue string, batch []*pending, messages []Outgoing) bool {
	ok := true
	for i, err := range db.cfg.Send(context.Background(), queue, messages) {
		at := slices.IndexFunc(batch[i].To, func(d delivery) bool { return d.Queue == queue })
		switch {
		case err == nil:
			batch[i].To = slices.Delete(batch[i].To, at, at+1)
		case errors.Is(err, ErrRefused):
			db.refused(batch[i], at, err)
		default:
			db.cfg.Log(fmt.Sprintf("the message %s waits for %s: %v", batch[i].Message.ID, queue, err))
			ok = false
		}
	}
	return ok
}

// refused sends a message to the subscription's dead-letter queue, or drops it.
func (db *DB) refused(p *pending, at int, cause error) {
	d := p.To[at]
	p.To = slices.Delete(p.To, at, at+1)
	if d.DeadLetters == "" || d.Refused {
		db.cfg.Log(fmt.Sprintf("the message %s of %s is lost, as in AWS: %v", p.Message.ID, d.Subscription, cause))
		return
	}
	d.Queue, d.Refused = d.DeadLetters, true
	if err := db.cfg.Send(context.Background(), d.Queue, []Outgoing{db.outgoing(p, d)})[0]; err != nil && !errors.Is(err, ErrRefused) {
		p.To = append(p.To, d)
	} else if err != nil {
		db.cfg.Log(fmt.Sprintf("the message %s of %s is lost, as in AWS: %v; and its dead-letter queue: %v", p.Message.ID, d.Subscription, cause, err))
	}
}

// outgoing gives a message as a queue gets it. The group of a FIFO topic goes to FIFO
// queues only, that of another topic to standard ones, for fairness.
// https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
func (db *DB) outgoing(p *pending, d delivery) Outgoing {
	m := p.Message
	out := Outgoing{Body: m.Body, Attributes: m.Attributes, Trace: m.Trace}
	if !d.Raw {
		out.Body, out.Attributes = db.envelope(p, d), nil
	}
	fifo := strings.HasSuffix(d.Queue, ".fifo")
	if fifo == strings.HasSuffix(p.Topic, ".fifo") {
		out.Group = m.Group
	}
	if fifo {
		out.Dedup = m.Dedup
	}
	return out
}
