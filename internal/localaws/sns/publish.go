package sns

import (
	"fmt"
	"net/url"
	"regexp"

	bolt "go.etcd.io/bbolt"
)

// maxEntries is how many messages a batch may have.
const maxEntries = 10

var entryIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// A receipt is what a publisher is told of a message.
type receipt struct {
	ID             string `xml:"Id,omitempty"` // in a batch
	MessageID      string `xml:"MessageId"`
	SequenceNumber string `xml:",omitempty"`
}

// publish takes one message. https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
func (db *DB) publish(c call) (any, error) {
	arn := c.get("TopicArn")
	switch {
	case c.get("PhoneNumber") != "":
		return nil, invalidParameter("PhoneNumber", "Reason: the local endpoint sends no text messages")
	case arn == "":
		arn = c.get("TargetArn")
	}
	t, err := db.byARN(arn)
	if err != nil {
		return nil, err
	}
	m, err := readMessage(t, c)
	if err != nil {
		return nil, err
	}
	receipts, err := db.accept(t, []*message{m})
	if err != nil {
		return nil, err
	}
	return &receipts[0], nil
}

// Publish publishes a message, as another service of the endpoint does.
func (db *DB) Publish(topicARN, message string) error {
	_, err := db.run((*DB).publish, call{form: form{values: url.Values{"TopicArn": {topicARN}, "Message": {message}}}})
	return err
}

type batchResult struct {
	Successful struct {
		Entries []receipt `xml:"member"`
	}
	Failed struct {
		Entries []failure `xml:"member"`
	}
}

// A failure is one entry of a batch that was refused.
type failure struct {
	ID          string `xml:"Id"`
	Code        string
	Message     string
	SenderFault bool
}

// publishBatch takes up to ten messages, each for itself.
// https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
func (db *DB) publishBatch(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil {
		return nil, err
	}
	entries := c.members("PublishBatchRequestEntries", "member", "Id", "Message")
	if err := checkEntries(entries); err != nil {
		return nil, err
	}
	out := &batchResult{}
	var ids []string
	var good []*message
	total := 0
	for _, e := range entries {
		m, err := readMessage(t, call{form: e, trace: c.trace})
		if err != nil {
			refused := asError(err)
			out.Failed.Entries = append(out.Failed.Entries, failure{e.get("Id"), refused.Code, refused.Message, refused.sender()})
			total += len(e.get("Message"))
			continue
		}
		total += m.size
		ids, good = append(ids, e.get("Id")), append(good, m)
	}
	if total > t.settings.maxSize {
		return nil, &Error{Code: "BatchRequestTooLong", Message: fmt.Sprintf("The length of all the messages put together is %d, more than the limit of %d", total, t.settings.maxSize)}
	}
	if len(good) == 0 {
		return out, nil
	}
	receipts, err := db.accept(t, good)
	if err != nil {
		return nil, err
	}
	for i := range receipts {
		receipts[i].ID = ids[i]
	}
	out.Successful.Entries = receipts
	return out, nil
}

// checkEntries holds a batch to the rules whose breach refuses it whole.
func checkEntries(entries []form) error {
	if len(entries) == 0 {
		return &Error{Code: "EmptyBatchRequest", Message: "The batch request doesn't contain any entries."}
	}
	if len(entries) > maxEntries {
		return &Error{Code: "TooManyEntriesInBatchRequest", Message: "The batch request contains more entries than permissible."}
	}
	seen := map[string]bool{}
	for _, e := range entries {
		id := e.get("Id")
		if !entryIDPattern.MatchString(id) {
			return &Error{Code: "InvalidBatchEntryId", Message: "The Id of a batch entry in a batch request doesn't abide by the specification."}
		}
		if seen[id] {
			return &Error{Code: "BatchEntryIdsNotDistinct", Message: "Two or more batch entries in the request have the same Id."}
		}
		seen[id] = true
	}
	return nil
}

// accept writes down which queues shall get checked messages, and then delivers. An
// answer after it is kept, whatever becomes of the process: what is written down is
// delivered by the next one.
func (db *DB) accept(t *topic, messages []*message) ([]receipt, error) {
	now := db.cfg.Now().UnixMilli()
	receipts := make([]receipt, len(messages))
	var owed []*pending
	fresh := map[string]duplicate{}
	over := t.duplicates.overdue(now)
	err := db.write(func(tx *bolt.Tx) error {
		if err := forget(tx, t, over); err != nil {
			return err
		}
		for i, m := range messages {
			p, first, err := db.put(tx, t, m, fresh, now)
			if err != nil {
				return err
			}
			if p != nil {
				owed = append(owed, p)
			}
			receipts[i] = receipt{MessageID: first.MessageID, SequenceNumber: first.Sequence}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for key, first := range fresh {
		t.duplicates.add(key, first)
	}
	db.waiting = append(db.waiting, owed...)
	db.deliver()
	return receipts, nil
}

// put writes one message for those who take it; nil where nobody does. A duplicate
// gives no message, and what the first one's publisher was told.
func (db *DB) put(tx *bolt.Tx, t *topic, m *message, fresh map[string]duplicate, now int64) (*pending, duplicate, error) {
	m.ID, m.Published = newID(), now
	first := duplicate{MessageID: m.ID, Until: now + duplicateWindow}
	seq, err := tx.Bucket(pendingBucket).NextSequence()
	if err != nil {
		return nil, first, err
	}
	if t.settings.fifo {
		m.identify()
		key := t.duplicateKey(m)
		before, found := fresh[key]
		if !found {
			before, found = t.duplicates.find(key, now)
		}
		if found {
			return nil, before, nil
		}
		m.Sequence = fmt.Sprintf("1%019d", seq)
		first.Sequence = m.Sequence
		fresh[key] = first
		if err := putJSON(tx, duplicatesBucket, duplicateKey(t.ARN, key), first); err != nil {
			return nil, first, err
		}
	}
	p := &pending{seq: seq, Topic: t.ARN, Message: *m}
	for _, s := range t.subscriptions {
		if s.settings.policy.takes(m) {
			p.To = append(p.To, delivery{Subscription: s.ARN, Queue: s.Endpoint, Raw: s.settings.raw, DeadLetters: s.settings.deadLetters})
		}
	}
	if len(p.To) == 0 {
		return nil, first, nil
	}
	return p, first, putJSON(tx, pendingBucket, seqKey(seq), p)
}
