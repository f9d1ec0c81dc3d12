package invariants

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	snstypes "github.com/aws/aws-sdk-go-v2/service/sns/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const topicARN = "arn:aws:sns:eu-west-1:123456789012:"

// A simulatedTopic copies what is published to each of its queues.
type simulatedTopic struct {
	queues []*simulatedQueue
	fifo   bool
	dedup  map[string]time.Time
	// refuses is the code of the topic's refusal of each message; empty takes
	// them.
	refuses string
}

// simulatedSNS is SNS under the bubble's clock, with raw delivery to queues.
type simulatedSNS struct {
	sqs *simulatedSQS

	mu     sync.Mutex
	topics map[string]*simulatedTopic
}

func (s *simulatedSNS) add(name string, queues ...*simulatedQueue) *simulatedTopic {
	t := &simulatedTopic{queues: queues, fifo: strings.HasSuffix(name, ".fifo"), dedup: map[string]time.Time{}}
	s.topics[name] = t
	return t
}

// badMessage is SNS's code for a message that is itself at fault.
const badMessage = "InvalidParameter"

// PublishBatch takes messages.
func (s *simulatedSNS) PublishBatch(ctx context.Context, in *sns.PublishBatchInput, _ ...func(*sns.Options)) (*sns.PublishBatchOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.topics[strings.TrimPrefix(aws.ToString(in.TopicArn), topicARN)]
	if !ok {
		return nil, &snstypes.NotFoundException{}
	}
	out := &sns.PublishBatchOutput{}
	for _, e := range in.PublishBatchRequestEntries {
		if t.refuses != "" {
			out.Failed = append(out.Failed, snstypes.BatchResultErrorEntry{Id: e.Id, Code: &t.refuses, SenderFault: t.refuses == badMessage})
			continue
		}
		out.Successful = append(out.Successful, snstypes.PublishBatchResultEntry{Id: e.Id})
		dedup := aws.ToString(e.MessageDeduplicationId)
		if at, seen := t.dedup[dedup]; t.fifo && seen && time.Since(at) < dedupFor {
			continue
		}
		t.dedup[dedup] = time.Now()
		for _, q := range t.queues {
			s.copy(q, e)
		}
	}
	return out, ctx.Err()
}

// copy puts a message into a queue as it was published.
func (s *simulatedSNS) copy(q *simulatedQueue, e snstypes.PublishBatchRequestEntry) {
	attributes := map[string]types.MessageAttributeValue{}
	for name, a := range e.MessageAttributes {
		attributes[name] = types.MessageAttributeValue{DataType: a.DataType, StringValue: a.StringValue}
	}
	s.sqs.mu.Lock()
	defer s.sqs.mu.Unlock()
	s.sqs.put(q, &message{body: *e.Message, group: aws.ToString(e.MessageGroupId), attributes: attributes, visible: time.Now()})
}
