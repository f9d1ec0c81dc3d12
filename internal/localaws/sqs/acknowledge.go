package sqs

import (
	"context"

	bolt "go.etcd.io/bbolt"
)

// maxVisibility is how long a message can stay in flight after a receive, in
// seconds.
const maxVisibility = 43200

type deleteInput struct {
	QueueURL      string `json:"QueueUrl"`
	ReceiptHandle string
}

func (db *DB) deleteMessage(_ context.Context, in *deleteInput) (*struct{}, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	m, err := q.deletable(in.ReceiptHandle)
	if err != nil || m == nil {
		return nil, err
	}
	return nil, db.drop(q, []*message{m})
}

// find gives the message that a handle names, nil if it is gone, and whether
// the handle is that of its last receive.
func (q *queue) find(receipt string) (m *message, last bool, err error) {
	if receipt == "" {
		return nil, false, missingParameter("ReceiptHandle")
	}
	h, ok := parseHandle(receipt)
	if !ok || h.queue != q.key {
		return nil, false, invalidHandle()
	}
	m = q.messages[h.seq]
	return m, m != nil && m.Nonce == h.nonce && m.Nonce != 0, nil
}

// deletable gives the message that a handle may delete; nil means a success
// that deletes nothing: the message is gone, or was received again since. On a
// FIFO queue the handle must not be over.
func (q *queue) deletable(receipt string) (*message, error) {
	m, last, err := q.find(receipt)
	switch {
	case err != nil || m == nil:
		return nil, err
	case q.settings.fifo && (!last || !m.InFlight):
		return nil, invalidParameter("ReceiptHandle", receipt, "The receipt handle has expired.")
	case !last:
		return nil, nil
	}
	return m, nil
}

type visibilityInput struct {
	QueueURL string `json:"QueueUrl"`
	visibilityEntry
}

type visibilityEntry struct {
	ID                string `json:"Id"` // in a batch
	ReceiptHandle     string
	VisibilityTimeout *int
}

func (db *DB) changeVisibility(_ context.Context, in *visibilityInput) (*struct{}, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	m, err := q.changeable(in.visibilityEntry, db.now())
	if err != nil {
		return nil, err
	}
	return nil, db.reschedule(q, []change{{m, *in.VisibilityTimeout}})
}

// changeable gives the message whose visibility the entry may change.
func (q *queue) changeable(e visibilityEntry, now int64) (*message, error) {
	m, last, err := q.find(e.ReceiptHandle)
	switch {
	case err != nil:
		return nil, err
	case e.VisibilityTimeout == nil:
		return nil, missingParameter("VisibilityTimeout")
	case *e.VisibilityTimeout < 0 || *e.VisibilityTimeout > maxVisibility:
		return nil, invalidParameter("VisibilityTimeout", *e.VisibilityTimeout, "VisibilityTimeout must be an integer between 0 and %d.", maxVisibility)
	case !last:
		return nil, invalidParameter("ReceiptHandle", e.ReceiptHandle, "Message does not exist or is not available for visibility timeout change.")
	case !m.InFlight:
		return nil, legacy("MessageNotInflight", "MessageNotInflight", "The specified message isn't in flight.")
	case now+int64(*e.VisibilityTimeout)*1000 > m.Received+maxVisibility*1000:
		return nil, invalidParameter("VisibilityTimeout", *e.VisibilityTimeout, "Total VisibilityTimeout for the message is beyond the limit [%d seconds].", maxVisibility)
	}
	return m, nil
}

// A change is a message in flight and the seconds that it shall stay so.
type change struct {
	m       *message
	seconds int
}

// reschedule writes changes of visibility in one transaction.
func (db *DB) reschedule(q *queue, changes []change) error {
	now := db.now()
	visible := func(c change) int64 { return now + int64(c.seconds)*1000 }
	err := db.write(func(tx *bolt.Tx) error {
		for _, c := range changes {
			s := c.m.state
			s.Visible, s.InFlight = visible(c), c.seconds > 0
			if err := putState(tx, c.m.seq, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range changes {
		q.unplace(c.m)
		c.m.Visible, c.m.InFlight = visible(c), c.seconds > 0
		q.place(c.m, now)
	}
	db.arm(q)
	return nil
}
