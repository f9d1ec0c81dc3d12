package sqs

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
)

// maxInFlight is how many received messages a queue may have that are neither
// deleted nor visible again.
const maxInFlight = 120_000

type receiveInput struct {
	QueueURL                    string `json:"QueueUrl"`
	AttributeNames              []string
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	VisibilityTimeout           *int
	WaitTimeSeconds             *int
	ReceiveRequestAttemptID     string `json:"ReceiveRequestAttemptId"`
}

type receiveOutput struct {
	Messages []delivery `json:",omitempty"`
}

func (in *receiveInput) check() error {
	between := func(name string, value *int, low, high int) error {
		if value != nil && (*value < low || *value > high) {
			return invalidParameter(name, *value, "Must be between %d and %d, if provided.", low, high)
		}
		return nil
	}
	for _, name := range in.systemNames() {
		if !knownSystemAttribute(name) {
			return unknownAttribute(name)
		}
	}
	return errors.Join(
		between("MaxNumberOfMessages", in.MaxNumberOfMessages, 1, 10),
		between("VisibilityTimeout", in.VisibilityTimeout, 0, 43200),
		between("WaitTimeSeconds", in.WaitTimeSeconds, 0, 20),
	)
}

// receiveMessage answers at once if a message is there, and otherwise waits for
// one: for an arrival, the end of a delay or of a visibility timeout.
func (db *DB) receiveMessage(ctx context.Context, in *receiveInput) (*receiveOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var end <-chan time.Time
	for {
		out, woken, wait, err := db.tryReceive(in, end != nil)
		if err != nil || woken == nil {
			return out, err
		}
		if end == nil {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			end = timer.C
		}
		more, err := db.await(ctx, in.QueueURL, woken, end)
		if err != nil || !more {
			return &receiveOutput{}, err
		}
	}
}

// tryReceive takes what is there. Where nothing is and the call may wait, it
// gives a channel to wait on, and for how long.
func (db *DB) tryReceive(in *receiveInput, waiting bool) (*receiveOutput, chan struct{}, time.Duration, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, nil, 0, err
	}
	deliveries, err := db.take(q, in)
	if err != nil || len(deliveries) > 0 {
		return &receiveOutput{deliveries}, nil, 0, err
	}
	wait := q.settings.wait
	if in.WaitTimeSeconds != nil {
		wait = *in.WaitTimeSeconds
	}
	if wait == 0 && !waiting {
		return &receiveOutput{}, nil, 0, nil
	}
	return nil, db.join(q), time.Duration(wait) * time.Second, nil
}

// await waits for a wake-up (true) or the end (false).
func (db *DB) await(ctx context.Context, queueURL string, woken chan struct{}, end <-chan time.Time) (bool, error) {
	more := false
	select {
	case <-woken:
		more = true
	case <-end:
	case <-ctx.Done():
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if q, err := db.byURL(queueURL); err == nil {
		q.leave(woken, ctx.Err() != nil || !more)
	}
	return more, ctx.Err()
}

// take receives what is visible now.
func (db *DB) take(q *queue, in *receiveInput) ([]delivery, error) {
	now := db.now()
	n, visibility := 1, q.settings.visibility
	if in.MaxNumberOfMessages != nil {
		n = *in.MaxNumberOfMessages
	}
	if in.VisibilityTimeout != nil {
		visibility = *in.VisibilityTimeout
	}
	until := now + int64(visibility)*1000
	if again, err := db.repeat(q, in, until); len(again) > 0 || err != nil {
		return again, err
	}
	if q.inFlight >= maxInFlight {
		if q.settings.fifo {
			return nil, nil
		}
		return nil, legacy("OverLimit", "OverLimit", "The maximum number of in flight messages is reached.")
	}
	dlq, limit := db.deadLetterQueue(q)
	var dead func(*message) bool
	if dlq != nil && dlq != q {
		dead = func(m *message) bool { return m.Here >= limit }
	}
	live, letters := q.pick(min(n, maxInFlight-q.inFlight), dead)
	if len(live)+len(letters) == 0 {
		return nil, nil
	}
	received := make([]state, len(live))
	for i, m := range live {
		received[i] = m.received(now, until)
	}
	deliveries, err := db.writeReceive(q, live, received, in, dlq, letters, now)
	if err != nil {
		for _, m := range append(live, letters...) {
			q.place(m, now)
		}
		return nil, err
	}
	for i, m := range live {
		m.state = received[i]
		q.place(m, now)
		q.shares.Received(m.Group)
	}
	q.remember(in.ReceiveRequestAttemptID, live, now)
	db.arm(q)
	for _, m := range letters {
		q.remove(m)
		m.state = m.moved(dlq, q.arn, now)
		dlq.add(m, now)
	}
	return deliveries, nil
}

// received is the message's state after a receive.
func (m *message) received(now, until int64) state {
	s := m.state
	s.Count++
	s.Here++
	if s.First == 0 {
		s.First = now
	}
	s.Received, s.Visible, s.InFlight, s.Nonce = now, until, true, newNonce()
	return s
}

// moved is the message's state in the dead-letter queue. A FIFO message's
// retention begins again there, a standard one's does not: see "Configuring
// message retention periods" in
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html.
func (m *message) moved(dlq *queue, source string, now int64) state {
	s := m.state
	s.Queue, s.Source, s.Visible, s.InFlight, s.Here, s.Nonce = dlq.Name, source, now, false, 0, 0
	if dlq.settings.fifo {
		s.Enqueued = now
	}
	return s
}

// writeReceive stores the new states of what was received and of what goes to
// the dead-letter queue, and reads what the consumer gets.
func (db *DB) writeReceive(q *queue, live []*message, received []state, in *receiveInput, dlq *queue, letters []*message, now int64) ([]delivery, error) {
	var deliveries []delivery
	err := db.write(func(tx *bolt.Tx) error {
		for _, m := range letters {
			if err := putState(tx, m.seq, m.moved(dlq, q.arn, now)); err != nil {
				return err
			}
		}
		for i, m := range live {
			if err := putState(tx, m.seq, received[i]); err != nil {
				return err
			}
			c, err := getContent(tx, m.seq)
			if err != nil {
				return err
			}
			deliveries = append(deliveries, in.delivery(q, m.seq, received[i], c))
		}
		return nil
	})
	return deliveries, err
}

func newNonce() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (Go 1.24 on)
	return binary.BigEndian.Uint64(b[:])
}
