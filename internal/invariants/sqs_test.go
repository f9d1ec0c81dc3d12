package invariants

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	account    = "https://sqs.eu-west-1.amazonaws.com/123456789012/"
	visibility = time.Minute
	dedupFor   = 5 * time.Minute
)

// A message is in one queue.
type message struct {
	id, body, group string
	attributes      map[string]types.MessageAttributeValue
	receipt         string   // of the last receive
	earlier         []string // of those before
	source          string   // the queue that SQS moved it from
	sent, visible   time.Time
	received        time.Time // for the first time
	receives        int
}

// A simulatedQueue is one queue.
type simulatedQueue struct {
	name     string
	messages []*message
	dedup    map[string]time.Time
	// redrive is where a message goes that was received more often than
	// maxReceives.
	redrive     *simulatedQueue
	maxReceives int
	// refuses is the code of SQS's refusal of each message; empty takes them.
	refuses string
}

func (q *simulatedQueue) fifo() bool { return strings.HasSuffix(q.name, ".fifo") }

// simulatedSQS is SQS under the bubble's clock: visibility, delays, receive counts,
// redrive, and in FIFO queues groups and deduplication.
type simulatedSQS struct {
	changed func()
	// deleted is told of each message that somebody deletes.
	deleted func(*simulatedQueue, *message)

	mu     sync.Mutex
	queues map[string]*simulatedQueue
	made   int
}

func (s *simulatedSQS) add(name string, redrive *simulatedQueue, maxReceives int) *simulatedQueue {
	q := &simulatedQueue{name: name, dedup: map[string]time.Time{}, redrive: redrive, maxReceives: maxReceives}
	s.queues[name] = q
	return q
}

// of finds a queue by its URL, for a call that is not over yet.
func (s *simulatedSQS) of(ctx context.Context, url *string) (*simulatedQueue, error) {
	q, ok := s.queues[strings.TrimPrefix(aws.ToString(url), account)]
	if !ok {
		return nil, &types.QueueDoesNotExist{Message: url}
	}
	return q, ctx.Err()
}

// SendMessageBatch takes messages.
func (s *simulatedSQS) SendMessageBatch(ctx context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.SendMessageBatchOutput{}
	for _, e := range in.Entries {
		if q.refuses != "" {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: &q.refuses, SenderFault: q.refuses == refused})
			continue
		}
		out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: e.Id})
		dedup := aws.ToString(e.MessageDeduplicationId)
		if at, sent := q.dedup[dedup]; sent && q.fifo() && time.Since(at) < dedupFor {
			continue
		}
		q.dedup[dedup] = time.Now()
		s.put(q, &message{
			body: *e.MessageBody, group: aws.ToString(e.MessageGroupId), attributes: e.MessageAttributes,
			visible: time.Now().Add(time.Duration(e.DelaySeconds) * time.Second),
		})
	}
	return out, nil
}

// refused is SQS's code for a message that is itself at fault.
const refused = "InvalidMessageContents"

func (s *simulatedSQS) put(q *simulatedQueue, m *message) {
	s.made++
	m.id, m.sent = fmt.Sprintf("m%d", s.made), time.Now()
	q.messages = append(q.messages, m)
	s.changed()
}

// take receives up to n messages. A group waits while one of it is in flight.
func (s *simulatedSQS) take(q *simulatedQueue, n int) (got []message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	blocked := map[string]bool{}
	for _, m := range slices.Clone(q.messages) {
		hidden := m.visible.After(time.Now())
		if hidden && q.fifo() {
			blocked[m.group] = true
		}
		if hidden || blocked[m.group] && q.fifo() || len(got) == n {
			continue
		}
		if m.receives++; q.redrive != nil && m.receives > q.maxReceives {
			s.drop(q, m)
			m.receives, m.source = 0, q.name
			q.redrive.messages = append(q.redrive.messages, m)
			s.changed()
			continue
		}
		s.made++
		if m.receives == 1 {
			m.received = time.Now()
		}
		m.earlier = append(m.earlier, m.receipt)
		m.receipt, m.visible = fmt.Sprintf("r%d", s.made), time.Now().Add(visibility)
		got = append(got, *m)
	}
	return got
}

func (s *simulatedSQS) drop(q *simulatedQueue, m *message) {
	q.messages = slices.DeleteFunc(q.messages, func(other *message) bool { return other == m })
}

// remove deletes the messages of some receipts. That of an earlier receive may do
// as well, in a standard queue.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
func (s *simulatedSQS) remove(q *simulatedQueue, receipts ...string) {
	s.mu.Lock()
	var gone []*message
	for _, m := range slices.Clone(q.messages) {
		for _, receipt := range receipts {
			if receipt == m.receipt || !q.fifo() && slices.Contains(m.earlier, receipt) {
				s.drop(q, m)
				gone = append(gone, m)
				break
			}
		}
	}
	s.mu.Unlock()
	for _, m := range gone {
		s.deleted(q, m)
	}
}

// move puts a message of one queue into another, as AWS's console does.
func (s *simulatedSQS) move(from, to *simulatedQueue, m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(from, m)
	s.put(to, &message{body: m.body, group: m.group, attributes: m.attributes, source: from.name})
}

// in gives a queue's messages.
func (s *simulatedSQS) in(q *simulatedQueue) []*message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(q.messages)
}

// ChangeMessageVisibilityBatch sets when messages are visible, where they are in flight.
func (s *simulatedSQS) ChangeMessageVisibilityBatch(ctx context.Context, in *sqs.ChangeMessageVisibilityBatchInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.ChangeMessageVisibilityBatchOutput{}
	for _, e := range in.Entries {
		at := slices.IndexFunc(q.messages, func(m *message) bool { return m.receipt == *e.ReceiptHandle && m.visible.After(time.Now()) })
		if at < 0 {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("MessageNotInflight")})
			continue
		}
		out.Successful = append(out.Successful, types.ChangeMessageVisibilityBatchResultEntry{Id: e.Id})
		q.messages[at].visible = time.Now().Add(time.Duration(e.VisibilityTimeout) * time.Second)
		s.changed()
	}
	return out, nil
}

// DeleteMessageBatch deletes messages.
func (s *simulatedSQS) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.DeleteMessageBatchOutput{}
	for _, e := range in.Entries {
		s.remove(q, *e.ReceiptHandle)
		out.Successful = append(out.Successful, types.DeleteMessageBatchResultEntry{Id: e.Id})
	}
	return out, nil
}

// ReceiveMessage waits for messages, and gives them.
func (s *simulatedSQS) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.ReceiveMessageOutput{}
	for end := time.Now().Add(time.Duration(in.WaitTimeSeconds) * time.Second); ; {
		for _, m := range s.take(q, int(max(in.MaxNumberOfMessages, 1))) {
			out.Messages = append(out.Messages, types.Message{
				MessageId: &m.id, ReceiptHandle: &m.receipt, Body: &m.body, Attributes: m.system(), MessageAttributes: m.attributes,
			})
		}
		if len(out.Messages) > 0 || !time.Now().Before(end) {
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// GetQueueAttributes counts messages.
func (s *simulatedSQS) GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, _ ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	visible, inFlight := 0, 0
	for _, m := range q.messages {
		if m.visible.After(time.Now()) {
			inFlight++
		} else {
			visible++
		}
	}
	return &sqs.GetQueueAttributesOutput{Attributes: map[string]string{
		"ApproximateNumberOfMessages":           fmt.Sprint(visible),
		"ApproximateNumberOfMessagesDelayed":    "0",
		"ApproximateNumberOfMessagesNotVisible": fmt.Sprint(inFlight),
	}}, nil
}

// system are the attributes that SQS gives a message.
func (m *message) system() map[string]string {
	attributes := map[string]string{
		"ApproximateReceiveCount":          fmt.Sprint(m.receives),
		"SentTimestamp":                    fmt.Sprint(m.sent.UnixMilli()),
		"ApproximateFirstReceiveTimestamp": fmt.Sprint(m.received.UnixMilli()),
	}
	if m.group != "" {
		attributes["MessageGroupId"] = m.group
	}
	if m.source != "" {
		attributes["DeadLetterQueueSourceArn"] = "arn:aws:sqs:eu-west-1:123456789012:" + m.source
	}
	return attributes
}

// eventOf is what Lambda hands to a function for a batch of a queue.
func eventOf(q *simulatedQueue, batch []message) []byte {
	records := []map[string]any{}
	for _, m := range batch {
		records = append(records, map[string]any{
			"messageId": m.id, "receiptHandle": m.receipt, "body": m.body, "attributes": m.system(),
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:" + q.name,
		})
	}
	encoded, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err)
	}
	return encoded
}
