// Package topic publishes events to SNS topics, which carry them to the queue of
// each subscriber.
package topic

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/nightshift-go/nightshift/internal/batchcall"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Limits of one batch call; MaxBatchBytes is that of a single message as well.
// https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
const (
	MaxEntries    = 10
	MaxBatchBytes = 256 << 10
)

// NameAttribute is the message attribute with the event's name, by which
// subscriptions filter.
const NameAttribute = "event"

// API is the part of the SNS client that this package uses.
type API interface {
	PublishBatch(context.Context, *sns.PublishBatchInput, ...func(*sns.Options)) (*sns.PublishBatchOutput, error)
}

// SNS publishes messages. It may be used by many goroutines.
type SNS struct{ api API }

// New makes SNS of a client.
func New(api API) *SNS { return &SNS{api: api} }

// An Outgoing is one message to publish.
type Outgoing struct {
	Body string
	// Name is the event's.
	Name string
	// Group and Dedup are for FIFO topics.
	Group, Dedup string
}

// Size is what SNS counts, in bytes: the body and its attribute.
func (m Outgoing) Size() int {
	return len(m.Body) + len(NameAttribute) + len("String") + len(m.Name)
}

// Publish publishes messages to a topic, ten to a call and 256 KiB at most. It
// answers one error, or nil, for each message in its place: a *queue.SendError where
// SNS judged the message, another error where the call failed.
func (s *SNS) Publish(ctx context.Context, arn string, messages []Outgoing) []error {
	results := make([]error, len(messages))
	for start := 0; start < len(messages); {
		rest := messages[start:]
		end := start + batchcall.Length(len(rest), MaxEntries, MaxBatchBytes, func(i int) int { return rest[i].Size() })
		s.publishBatch(ctx, arn, messages[start:end], results[start:end])
		start = end
	}
	return results
}

func (s *SNS) publishBatch(ctx context.Context, arn string, messages []Outgoing, results []error) {
	entries := make([]types.PublishBatchRequestEntry, len(messages))
	for i, m := range messages {
		entries[i] = entry(i, m)
	}
	out, err := s.api.PublishBatch(ctx, &sns.PublishBatchInput{TopicArn: &arn, PublishBatchRequestEntries: entries})
	if err != nil {
		batchcall.Fill(results, func(int) error { return fmt.Errorf("topic: publishing to %s: %w", arn, err) })
		return
	}
	batchcall.Fill(results, func(i int) error {
		return fmt.Errorf("topic: publishing to %s: the answer does not mention entry %d", arn, i)
	})
	for _, ok := range out.Successful {
		batchcall.Set(results, ok.Id, nil)
	}
	for _, failed := range out.Failed {
		batchcall.Set(results, failed.Id, &queue.SendError{Code: aws.ToString(failed.Code), Message: aws.ToString(failed.Message), Fault: failed.SenderFault})
	}
}

func entry(i int, m Outgoing) types.PublishBatchRequestEntry {
	e := types.PublishBatchRequestEntry{
		Id: batchcall.ID(i), Message: &m.Body,
		MessageAttributes: map[string]types.MessageAttributeValue{
			NameAttribute: {DataType: aws.String("String"), StringValue: aws.String(m.Name)},
		},
	}
	if m.Group != "" {
		e.MessageGroupId = &m.Group
	}
	if m.Dedup != "" {
		e.MessageDeduplicationId = &m.Dedup
	}
	return e
}
