package sqssim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// Take receives up to n messages of a queue, as an event source does. They are hidden
// for the queue's visibility timeout.
func (s *SQS) Take(name string, n int) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[name]
	return s.take(q, n, q.Visibility)
}

func (s *SQS) take(q *simulated, n int, hide time.Duration) (got []Message) {
	now := s.config.Now()
	taken := map[*message]bool{}
	for len(got) < n {
		m := s.choose(q, now, taken)
		if m == nil {
			break
		}
		if m.Receives++; q.Redrive != "" && m.Receives > q.MaxReceives {
			s.redrive(q, m)
			continue
		}
		if m.Receives == 1 {
			m.Received = now
		}
		if m.Receipt != "" {
			m.earlier = append(m.earlier, m.Receipt)
		}
		m.Receipt, m.Visible = fmt.Sprintf("%s/%d", m.ID, m.Receives), now.Add(hide)
		taken[m] = true
		q.shares.Received(m.Group)
		got = append(got, m.Message)
	}
	return got
}

// choose gives the next message that may come, or nil.
func (s *SQS) choose(q *simulated, now time.Time, taken map[*message]bool) *message {
	closed := map[string]bool{} // groups of which nothing (more) may come
	if q.fifo() {
		// A group waits while one of it is in flight, save in this receive.
		// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagegroupid-property.html
		for _, m := range q.messages {
			if m.Visible.After(now) && !taken[m] {
				closed[m.Group] = true
			}
		}
	}
	var candidates []*message
	var first *message
	for _, m := range q.messages {
		if m.Visible.After(now) || taken[m] || q.fifo() && closed[m.Group] {
			continue
		}
		if s.config.Pick == nil {
			if q.fifo() {
				return m
			}
			if first == nil || q.shares.Compare(m.Group, first.Group) < 0 {
				first = m
			}
			continue
		}
		closed[m.Group] = true // its successors come after it
		candidates = append(candidates, m)
	}
	if len(candidates) == 0 {
		return first
	}
	return candidates[s.config.Pick(len(candidates))]
}

// redrive moves a message that was received too often.
func (s *SQS) redrive(q *simulated, m *message) {
	q.messages = slices.DeleteFunc(q.messages, func(other *message) bool { return other == m })
	m.Receives, m.Source, m.Receipt, m.earlier = 0, ARN(q.name), "", nil
	to := s.queues[q.Redrive]
	to.messages = append(to.messages, m)
}

// Delete deletes the messages of some receipts. That of an earlier receive may do as
// well, in a standard queue.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
func (s *SQS) Delete(name string, receipts ...string) {
	s.mu.Lock()
	q := s.queues[name]
	var gone []Message
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool {
		deleted := slices.ContainsFunc(receipts, func(receipt string) bool {
			return receipt == m.Receipt && receipt != "" || !q.fifo() && slices.Contains(m.earlier, receipt)
		})
		if deleted {
			gone = append(gone, m.Message)
		}
		return deleted
	})
	s.mu.Unlock()
	for _, m := range gone {
		s.config.Deleted(name, m)
	}
	s.config.Changed()
}

// system are the attributes that SQS itself gives a message.
func (m Message) system() map[string]string {
	attributes := map[string]string{
		"ApproximateReceiveCount":          strconv.Itoa(m.Receives),
		"SentTimestamp":                    strconv.FormatInt(m.Sent.UnixMilli(), 10),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(m.Received.UnixMilli(), 10),
	}
	for name, value := range map[string]string{"MessageGroupId": m.Group, "AWSTraceHeader": m.Trace, "DeadLetterQueueSourceArn": m.Source} {
		if value != "" {
			attributes[name] = value
		}
	}
	return attributes
}

// Event is what Lambda hands to a function for a batch of a queue.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
func Event(name string, batch []Message) []byte {
	records := make([]map[string]any, len(batch))
	for i, m := range batch {
		attributes := map[string]any{}
		for key, value := range m.Attributes {
			attributes[key] = eventAttribute(value)
		}
		records[i] = map[string]any{
			"messageId": m.ID, "receiptHandle": m.Receipt, "body": m.Body,
			"attributes": m.system(), "messageAttributes": attributes,
			"eventSource": "aws:sqs", "eventSourceARN": ARN(name), "awsRegion": Region,
		}
	}
	encoded, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err) // a document of texts and bytes
	}
	return encoded
}

func eventAttribute(value types.MessageAttributeValue) map[string]any {
	attribute := map[string]any{"dataType": value.DataType}
	if value.StringValue != nil {
		attribute["stringValue"] = value.StringValue
	}
	if value.BinaryValue != nil {
		attribute["binaryValue"] = value.BinaryValue
	}
	return attribute
}
