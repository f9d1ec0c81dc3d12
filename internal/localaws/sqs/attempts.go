package sqs

import bolt "go.etcd.io/bbolt"

// An attempt remembers what a FIFO receive with an attempt id was given, so that
// its repetition within five minutes gets the same; see ReceiveRequestAttemptId in
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html.
// It is not stored: a restart forgets it.
type attempt struct {
	until    int64
	messages []*message
	nonces   []uint64
}

func (q *queue) remember(id string, messages []*message, now int64) {
	if id == "" || !q.settings.fifo || len(messages) == 0 {
		return
	}
	for old, a := range q.attempts {
		if a.until <= now {
			delete(q.attempts, old)
		}
	}
	a := attempt{until: now + duplicateWindow, messages: messages}
	for _, m := range messages {
		a.nonces = append(a.nonces, m.Nonce)
	}
	q.attempts[id] = a
}

// repeat answers a repeated receive with the same messages and handles, and
// their visibility timeout begun again, if all of them are still as they were.
func (db *DB) repeat(q *queue, in *receiveInput, until int64) ([]delivery, error) {
	now := db.now()
	a, found := q.attempts[in.ReceiveRequestAttemptID]
	if !found || in.ReceiveRequestAttemptID == "" || a.until <= now {
		return nil, nil
	}
	states := make([]state, len(a.messages))
	for i, m := range a.messages {
		if q.messages[m.seq] != m || !m.InFlight || m.Nonce != a.nonces[i] {
			return nil, nil
		}
		states[i] = m.state
		states[i].Visible = until
	}
	var deliveries []delivery
	err := db.write(func(tx *bolt.Tx) error {
		for i, m := range a.messages {
			if err := putState(tx, m.seq, states[i]); err != nil {
				return err
			}
			c, err := getContent(tx, m.seq)
			if err != nil {
				return err
			}
			deliveries = append(deliveries, in.delivery(q, m.seq, states[i], c))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, m := range a.messages {
		q.unplace(m)
		m.state = states[i]
		q.place(m, now)
	}
	db.arm(q)
	return deliveries, nil
}
