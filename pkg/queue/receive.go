package queue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/batchcall"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// LongestPoll is the longest that SQS lets a receive wait for messages.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html
const LongestPoll = 20 * time.Second

// An Ask is what a receive asks for.
type Ask struct {
	// Most is how many messages may come, 1 to MaxEntries; more are asked for
	// as MaxEntries, and less as 1.
	Most int
	// Wait is how long SQS waits for a message where there is none; it is
	// rounded up to seconds and cut to LongestPoll.
	Wait time.Duration
	// Hide is how long the messages are invisible to others, rounded up to
	// seconds and cut to SQS's 12 hours. Zero means the queue's own time.
	Hide time.Duration
	// Attempt names a receive from a FIFO queue: asked again under the same
	// name within five minutes, because its answer was lost, it brings the
	// same messages. Leave it empty for other queues.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
	Attempt string
}

// An Incoming is a received message.
type Incoming struct {
	// ID is the message's, Receipt that of this receive: Hide and Delete take
	// it.
	ID, Receipt string
	Body        string
	// Receives counts how often the message was received, this time included;
	// it is approximate.
	Receives int
	// Sent is when the message was sent.
	Sent time.Time
	// Group is the message group's id; empty where it has none.
	Group string
	// Trace is the trace header that SQS carries beside the message.
	Trace string
	// Source is the ARN of the queue from which SQS moved the message to this
	// dead-letter queue; empty where it was sent here.
	Source string
	// Attributes are its message attributes; nil where it has none.
	Attributes map[string]Attribute
}

var receivedAttributes = []types.MessageSystemAttributeName{
	types.MessageSystemAttributeNameApproximateReceiveCount,
	types.MessageSystemAttributeNameSentTimestamp,
	types.MessageSystemAttributeNameMessageGroupId,
	types.MessageSystemAttributeNameAWSTraceHeader,
	types.MessageSystemAttributeNameDeadLetterQueueSourceArn,
}

// Receive takes messages from a queue, by long polling. No message within the wait
// is no error.
func (q *SQS) Receive(ctx context.Context, url string, ask Ask) ([]Incoming, error) {
	in := &sqs.ReceiveMessageInput{
		QueueUrl:                    &url,
		MaxNumberOfMessages:         int32(min(max(ask.Most, 1), MaxEntries)),
		WaitTimeSeconds:             ceilSeconds(min(max(ask.Wait, 0), LongestPoll)),
		MessageSystemAttributeNames: receivedAttributes,
		MessageAttributeNames:       []string{"All"},
	}
	if ask.Hide > 0 {
		in.VisibilityTimeout = ceilSeconds(min(ask.Hide, lifecycle.LongestInvisible))
	}
	if ask.Attempt != "" {
		in.ReceiveRequestAttemptId = &ask.Attempt
	}
	out, err := q.api.ReceiveMessage(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("queue: receiving from %s: %w", url, err)
	}
	messages := make([]Incoming, len(out.Messages))
	for i, m := range out.Messages {
		messages[i] = incoming(m)
	}
	return messages, nil
}

// incoming reads a message as the SDK has it. System attributes that are no
// numbers where SQS sends numbers stay zero: they inform, and decide nothing.
func incoming(m types.Message) Incoming {
	system := func(name types.MessageSystemAttributeName) string { return m.Attributes[string(name)] }
	in := Incoming{
		ID: deref(m.MessageId), Receipt: deref(m.ReceiptHandle), Body: deref(m.Body),
		Group: system(types.MessageSystemAttributeNameMessageGroupId),
		Trace: system(types.MessageSystemAttributeNameAWSTraceHeader), Source: system(types.MessageSystemAttributeNameDeadLetterQueueSourceArn),
	}
	if n, err := strconv.Atoi(system(types.MessageSystemAttributeNameApproximateReceiveCount)); err == nil {
		in.Receives = n
	}
	if ms, err := strconv.ParseInt(system(types.MessageSystemAttributeNameSentTimestamp), 10, 64); err == nil {
		in.Sent = time.UnixMilli(ms).UTC()
	}
	for name, value := range m.MessageAttributes {
		if in.Attributes == nil {
			in.Attributes = map[string]Attribute{}
		}
		in.Attributes[name] = Attribute{Type: deref(value.DataType), Text: deref(value.StringValue), Binary: value.BinaryValue}
	}
	return in
}

// Delete acknowledges received messages by their receipts, ten to a call. It
// answers one error, or nil, for each in its place; what the answer does not
// mention counts as failed. A message that was not deleted comes again.
func (q *SQS) Delete(ctx context.Context, url string, receipts []string) []error {
	results := make([]error, len(receipts))
	for start := 0; start < len(receipts); start += MaxEntries {
		end := min(start+MaxEntries, len(receipts))
		q.deleteBatch(ctx, url, receipts[start:end], results[start:end])
	}
	return results
}

func (q *SQS) deleteBatch(ctx context.Context, url string, receipts []string, results []error) {
	entries := make([]types.DeleteMessageBatchRequestEntry, len(receipts))
	for i := range receipts {
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: batchcall.ID(i), ReceiptHandle: &receipts[i]}
	}
	out, err := q.api.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &url, Entries: entries})
	if err != nil {
		batchcall.Fill(results, func(int) error { return fmt.Errorf("queue: deleting from %s: %w", url, err) })
		return
	}
	batchcall.Fill(results, func(i int) error {
		return fmt.Errorf("queue: deleting from %s: the answer does not mention entry %d", url, i)
	})
	for _, ok := range out.Successful {
		batchcall.Set(results, ok.Id, nil)
	}
	for _, failed := range out.Failed {
		batchcall.Set(results, failed.Id, fmt.Errorf("queue: deleting: %s: %s", deref(failed.Code), deref(failed.Message)))
	}
}
