package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/batchcall"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Limits of one batch call.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
const (
	MaxEntries    = 10
	MaxBatchBytes = 1 << 20
)

// API is the part of the SQS client that this package uses.
type API interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
	ChangeMessageVisibilityBatch(context.Context, *sqs.ChangeMessageVisibilityBatchInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error)
	GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
}

// SQS sends, receives, hides, deletes and counts messages. It may be used by many goroutines.
type SQS struct{ api API }

// New makes SQS of a client.
func New(api API) *SQS { return &SQS{api: api} }

// An Outgoing is one message to send.
type Outgoing struct {
	Body string
	// Delay hides the message at first; it is rounded up to seconds, and cut
	// to SQS's 15 minutes. FIFO queues take none.
	Delay time.Duration
	// Group and Dedup are for FIFO queues; Group on a standard queue keeps its
	// tenants fair.
	Group, Dedup string
	// Attributes are message attributes, ten at most.
	Attributes map[string]Attribute
	// Trace is the trace header that SQS carries beside the message
	// (AWSTraceHeader).
	Trace string
}

// size is what SQS counts: the body and every attribute's name, type and value.
func (m Outgoing) size() int {
	size := len(m.Body)
	for name, value := range m.Attributes {
		size += value.size(name)
	}
	return size
}

// A SendError is one message that SQS did not take.
type SendError struct {
	// Code and Message are SQS's.
	Code, Message string
	// Fault tells that the message itself is at fault: sending it again can't
	// help.
	Fault bool
}

// Error gives SQS's words.
func (e *SendError) Error() string { return fmt.Sprintf("queue: sending: %s: %s", e.Code, e.Message) }

// Send sends messages to a queue, ten to a call and 1 MiB at most. It answers one
// error, or nil, for each message in its place: a *SendError where SQS judged the
// message, another error where the call failed.
func (q *SQS) Send(ctx context.Context, url string, messages []Outgoing) []error {
	results := make([]error, len(messages))
	for start := 0; start < len(messages); {
		rest := messages[start:]
		end := start + batchcall.Length(len(rest), MaxEntries, MaxBatchBytes, func(i int) int { return rest[i].size() })
		q.sendBatch(ctx, url, messages[start:end], results[start:end])
		start = end
	}
	return results
}

func (q *SQS) sendBatch(ctx context.Context, url string, messages []Outgoing, results []error) {
	entries := make([]types.SendMessageBatchRequestEntry, len(messages))
	for i, m := range messages {
		entries[i] = entry(i, m)
	}
	out, err := q.api.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &url, Entries: entries})
	if err != nil {
		batchcall.Fill(results, func(int) error { return fmt.Errorf("queue: sending to %s: %w", url, err) })
		return
	}
	batchcall.Fill(results, func(i int) error {
		return fmt.Errorf("queue: sending to %s: the answer does not mention entry %d", url, i)
	})
	for _, ok := range out.Successful {
		batchcall.Set(results, ok.Id, nil)
	}
	for _, failed := range out.Failed {
		batchcall.Set(results, failed.Id, &SendError{Code: deref(failed.Code), Message: deref(failed.Message), Fault: failed.SenderFault})
	}
}

func entry(i int, m Outgoing) types.SendMessageBatchRequestEntry {
	e := types.SendMessageBatchRequestEntry{Id: batchcall.ID(i), MessageBody: &m.Body}
	if m.Delay > 0 {
		e.DelaySeconds = ceilSeconds(min(m.Delay, lifecycle.LongestDelay))
	}
	if m.Group != "" {
		e.MessageGroupId = &m.Group
	}
	if m.Dedup != "" {
		e.MessageDeduplicationId = &m.Dedup
	}
	for name, value := range m.Attributes {
		if e.MessageAttributes == nil {
			e.MessageAttributes = map[string]types.MessageAttributeValue{}
		}
		e.MessageAttributes[name] = value.sdk()
	}
	if m.Trace != "" {
		e.MessageSystemAttributes = map[string]types.MessageSystemAttributeValue{
			string(types.MessageSystemAttributeNameForSendsAWSTraceHeader): {DataType: aws.String("String"), StringValue: &m.Trace},
		}
	}
	return e
}

// A Hidden is a received message that is to be visible again after a wait.
type Hidden struct {
	Receipt string
	// For is rounded up to seconds and cut to SQS's 12 hours.
	For time.Duration
}

// Hide sets when received messages are visible again. It answers one error, or
// nil, for each in its place.
func (q *SQS) Hide(ctx context.Context, url string, messages []Hidden) []error {
	results := make([]error, len(messages))
	for start := 0; start < len(messages); start += MaxEntries {
		end := min(start+MaxEntries, len(messages))
		q.hideBatch(ctx, url, messages[start:end], results[start:end])
	}
	return results
}

func (q *SQS) hideBatch(ctx context.Context, url string, messages []Hidden, results []error) {
	entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(messages))
	for i, m := range messages {
		entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
			Id: batchcall.ID(i), ReceiptHandle: &m.Receipt,
			VisibilityTimeout: ceilSeconds(min(max(m.For, 0), lifecycle.LongestInvisible)),
		}
	}
	out, err := q.api.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &url, Entries: entries})
	if err != nil {
		batchcall.Fill(results, func(int) error { return fmt.Errorf("queue: hiding in %s: %w", url, err) })
		return
	}
	for _, failed := range out.Failed {
		batchcall.Set(results, failed.Id, fmt.Errorf("queue: hiding: %s: %s", deref(failed.Code), deref(failed.Message)))
	}
}

// A Depth is how many messages a queue holds; SQS's counts are approximate.
type Depth struct{ Visible, Delayed, InFlight int }

// Total is all of them.
func (d Depth) Total() int { return d.Visible + d.Delayed + d.InFlight }

// Depth counts a queue's messages.
func (q *SQS) Depth(ctx context.Context, url string) (Depth, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	out, err := q.api.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: names})
	if err != nil {
		return Depth{}, fmt.Errorf("queue: counting %s: %w", url, err)
	}
	var counts [3]int
	var problems []error
	for i, name := range names {
		n, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			problems = append(problems, fmt.Errorf("queue: counting %s: %s: %w", url, name, err))
		}
		counts[i] = n
	}
	return Depth{Visible: counts[0], Delayed: counts[1], InFlight: counts[2]}, errors.Join(problems...)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func ceilSeconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }
