package sqs

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"

	bolt "go.etcd.io/bbolt"
)

// entry is a message as a producer gives it.
type entry struct {
	ID                      string `json:"Id"` // in a batch
	MessageBody             string
	DelaySeconds            *int
	MessageAttributes       map[string]attribute
	MessageSystemAttributes map[string]attribute
	MessageGroupID          string `json:"MessageGroupId"`
	MessageDeduplicationID  string `json:"MessageDeduplicationId"`
}

// sent is what its producer is told.
type sent struct {
	ID                           string `json:"Id,omitempty"` // in a batch
	MessageID                    string `json:"MessageId"`
	MD5OfMessageBody             string
	MD5OfMessageAttributes       string `json:",omitempty"`
	MD5OfMessageSystemAttributes string `json:",omitempty"`
	SequenceNumber               string `json:",omitempty"`
}

const traceHeader = "AWSTraceHeader"

var tokenPattern = regexp.MustCompile("^[A-Za-z0-9!\"#$%&'()*+,./:;<=>?@\\[\\\\\\]^_`{|}~-]{1,128}$")

type sendInput struct {
	QueueURL string `json:"QueueUrl"`
	entry
}

func (db *DB) sendMessage(_ context.Context, in *sendInput) (*sent, error) {
	_, s, err := db.lookUp(in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := in.entry.check(s); err != nil {
		return nil, err
	}
	receipts, err := db.store(in.QueueURL, []entry{in.entry})
	if err != nil {
		return nil, err
	}
	return &receipts[0], nil
}

// lookUp gives a queue's name and present settings.
func (db *DB) lookUp(queueURL string) (string, settings, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(queueURL)
	if err != nil {
		return "", settings{}, err
	}
	return q.Name, q.settings, nil
}

func (e *entry) size() int { return len(e.MessageBody) + sizeOf(e.MessageAttributes) }

// check holds a message to the rules of
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html.
func (e *entry) check(s settings) error {
	if e.MessageBody == "" {
		return missingParameter("MessageBody")
	}
	if size := e.size(); size > s.maxSize {
		return refuse("InvalidParameterValue", "One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", s.maxSize)
	}
	if r, bad := invalidRune(e.MessageBody); bad {
		return refuse("InvalidMessageContents", "Invalid binary character '#x%X' was found in the message body, the set of allowed characters is %s", r, allowedCharacters)
	}
	if err := checkAttributes(e.MessageAttributes); err != nil {
		return err
	}
	for name, a := range e.MessageSystemAttributes {
		if name != traceHeader || a.DataType != "String" || a.StringValue == nil {
			return refuse("InvalidParameterValue", "Message system attribute name '%s' is invalid: only %s of type String is supported.", name, traceHeader)
		}
	}
	if d := e.DelaySeconds; d != nil && (*d < 0 || *d > 900) {
		return invalidParameter("DelaySeconds", *d, "DelaySeconds must be >= 0 and <= 900.")
	}
	return e.checkTokens(s)
}

func (e *entry) checkTokens(s settings) error {
	if e.MessageGroupID != "" && !tokenPattern.MatchString(e.MessageGroupID) {
		return invalidParameter("MessageGroupId", e.MessageGroupID, "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.")
	}
	if e.MessageDeduplicationID != "" && !tokenPattern.MatchString(e.MessageDeduplicationID) {
		return invalidParameter("MessageDeduplicationId", e.MessageDeduplicationID, "MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length.")
	}
	switch {
	case !s.fifo && e.MessageDeduplicationID != "":
		return invalidParameter("MessageDeduplicationId", e.MessageDeduplicationID, "The request include parameter that is not valid for this queue type.")
	case !s.fifo:
		return nil
	case e.MessageGroupID == "":
		return missingParameter("MessageGroupId")
	case e.MessageDeduplicationID == "" && !s.contentDedup:
		return refuse("InvalidParameterValue", "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly.")
	case e.DelaySeconds != nil && *e.DelaySeconds != 0:
		return invalidParameter("DelaySeconds", *e.DelaySeconds, "The request include parameter that is not valid for this queue type.")
	}
	return nil
}

// store puts checked messages into a queue in one transaction.
func (db *DB) store(queueURL string, entries []entry) ([]sent, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(queueURL)
	if err != nil {
		return nil, err
	}
	now := db.now()
	receipts := make([]sent, 0, len(entries))
	var added []*message
	var tokens []duplicate
	err = db.write(func(tx *bolt.Tx) error {
		for _, e := range entries {
			m, token, err := db.put(tx, q, e, tokens, now)
			if err != nil {
				return err
			}
			if m != nil {
				added = append(added, m)
			}
			if m != nil && token.key != "" {
				tokens = append(tokens, token)
			}
			receipts = append(receipts, e.receipt(token))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	q.duplicates.add(tokens...)
	for _, m := range added {
		q.add(m, now)
	}
	db.arm(q)
	return receipts, nil
}

// put writes one message. A FIFO duplicate gives no message, and the token of
// the first one.
func (db *DB) put(tx *bolt.Tx, q *queue, e entry, fresh []duplicate, now int64) (*message, duplicate, error) {
	delay := q.settings.delay
	if e.DelaySeconds != nil && !q.settings.fifo {
		delay = *e.DelaySeconds
	}
	s := state{
		Queue: q.Name, ID: newID(), Sent: now, Enqueued: now, Visible: now + int64(delay)*1000,
		Group: e.MessageGroupID, Dedup: e.MessageDeduplicationID,
	}
	token := duplicate{MessageID: s.ID}
	if q.settings.fifo {
		if s.Dedup == "" {
			sum := sha256.Sum256([]byte(e.MessageBody))
			s.Dedup = hex.EncodeToString(sum[:])
		}
		token.key, token.Until = q.duplicateKey(s.Group, s.Dedup), now+duplicateWindow
		if first, found := q.duplicates.find(token.key, fresh, now); found {
			return nil, first, nil
		}
	}
	seq, err := nextSeq(tx)
	if err != nil {
		return nil, token, err
	}
	token.Seq = seq
	if token.key != "" {
		if err := putJSON(tx, duplicatesBucket, duplicateKey(q.Name, token.key), token); err != nil {
			return nil, token, err
		}
		if err := q.duplicates.expire(tx, q.Name, now); err != nil {
			return nil, token, err
		}
	}
	c := content{Body: e.MessageBody, Attributes: e.MessageAttributes}
	if a, ok := e.MessageSystemAttributes[traceHeader]; ok {
		c.Trace = *a.StringValue
	}
	if err := putContent(tx, seq, c); err != nil {
		return nil, token, err
	}
	return &message{state: s, seq: seq}, token, putState(tx, seq, s)
}

func (e *entry) receipt(token duplicate) sent {
	r := sent{
		ID: e.ID, MessageID: token.MessageID, MD5OfMessageBody: digest(e.MessageBody),
		MD5OfMessageAttributes:       digestAttributes(e.MessageAttributes),
		MD5OfMessageSystemAttributes: digestAttributes(e.MessageSystemAttributes),
	}
	if token.key != "" {
		r.SequenceNumber = sequenceNumber(token.Seq)
	}
	return r
}

// sequenceNumber is a FIFO message's place, in AWS's twenty digits.
func sequenceNumber(seq uint64) string { return fmt.Sprintf("%020d", seq) }

// newID makes a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (Go 1.24 on)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
