package sqssim

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// of finds a queue by its URL, for a call that is not over yet.
func (s *SQS) of(ctx context.Context, url *string) (*simulated, error) {
	name, ours := strings.CutPrefix(aws.ToString(url), URL(""))
	s.mu.Lock()
	defer s.mu.Unlock()
	q, known := s.queues[name]
	if !ours || !known {
		return nil, &types.QueueDoesNotExist{Message: aws.String("there is no queue " + aws.ToString(url))}
	}
	return q, ctx.Err()
}

// SendMessageBatch takes messages.
func (s *SQS) SendMessageBatch(ctx context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.SendMessageBatchOutput{}
	s.mu.Lock()
	for _, e := range in.Entries {
		if code, fault := q.refusal(e); code != "" {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: &code, SenderFault: fault})
			continue
		}
		s.send(q, e)
		out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: e.Id})
	}
	s.mu.Unlock()
	s.config.Changed()
	return out, nil
}

// refused is SQS's code for a message that is itself at fault.
const refused = "InvalidMessageContents"

// refusal gives SQS's code for a message that the queue does not take, or "".
func (q *simulated) refusal(e types.SendMessageBatchRequestEntry) (code string, fault bool) {
	switch {
	case q.refuses != "":
		return q.refuses, q.refuses == refused
	case q.fifo() && (aws.ToString(e.MessageGroupId) == "" || aws.ToString(e.MessageDeduplicationId) == ""):
		return "MissingParameter", true
	case q.fifo() && e.DelaySeconds > 0, !q.fifo() && e.MessageDeduplicationId != nil:
		return "InvalidParameterValue", true
	}
	return "", false
}

func (s *SQS) send(q *simulated, e types.SendMessageBatchRequestEntry) {
	now := s.config.Now()
	if q.fifo() {
		dedup := *e.MessageDeduplicationId
		if at, sent := q.dedup[dedup]; sent && now.Sub(at) < dedupFor {
			return // it counts as sent
		}
		q.dedup[dedup] = now
	}
	m := &message{Message: Message{
		Body: aws.ToString(e.MessageBody), Group: aws.ToString(e.MessageGroupId), Attributes: e.MessageAttributes,
		Visible: now.Add(time.Duration(e.DelaySeconds) * time.Second),
	}}
	if trace, ok := e.MessageSystemAttributes["AWSTraceHeader"]; ok {
		m.Trace = aws.ToString(trace.StringValue)
	}
	s.put(q, m)
}

// ReceiveMessage gives messages, where there are any, or waits for them.
func (s *SQS) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	hide := q.Visibility
	if in.VisibilityTimeout > 0 {
		hide = time.Duration(in.VisibilityTimeout) * time.Second
	}
	for end := s.config.Now().Add(time.Duration(in.WaitTimeSeconds) * time.Second); ; {
		s.mu.Lock()
		got := s.take(q, int(max(in.MaxNumberOfMessages, 1)), hide)
		s.mu.Unlock()
		left := end.Sub(s.config.Now())
		if len(got) > 0 || left <= 0 || s.config.Wait == nil {
			return received(got), nil
		}
		if err := s.config.Wait(ctx, left); err != nil {
			return nil, err
		}
	}
}

func received(messages []Message) *sqs.ReceiveMessageOutput {
	out := &sqs.ReceiveMessageOutput{}
	for _, m := range messages {
		out.Messages = append(out.Messages, types.Message{
			MessageId: &m.ID, ReceiptHandle: &m.Receipt, Body: &m.Body, Attributes: m.system(), MessageAttributes: m.Attributes,
		})
	}
	return out
}

// DeleteMessageBatch deletes messages.
func (s *SQS) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.DeleteMessageBatchOutput{}
	for _, e := range in.Entries {
		s.Delete(q.name, aws.ToString(e.ReceiptHandle))
		out.Successful = append(out.Successful, types.DeleteMessageBatchResultEntry{Id: e.Id})
	}
	return out, nil
}

// ChangeMessageVisibilityBatch sets from when on messages are visible that are in
// flight.
func (s *SQS) ChangeMessageVisibilityBatch(ctx context.Context, in *sqs.ChangeMessageVisibilityBatchInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	out := &sqs.ChangeMessageVisibilityBatchOutput{}
	now := s.config.Now()
	s.mu.Lock()
	for _, e := range in.Entries {
		at := slices.IndexFunc(q.messages, func(m *message) bool { return m.Receipt == aws.ToString(e.ReceiptHandle) && m.Visible.After(now) })
		if at < 0 {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("MessageNotInflight"), SenderFault: true})
			continue
		}
		q.messages[at].Visible = now.Add(time.Duration(e.VisibilityTimeout) * time.Second)
		out.Successful = append(out.Successful, types.ChangeMessageVisibilityBatchResultEntry{Id: e.Id})
	}
	s.mu.Unlock()
	s.config.Changed()
	return out, nil
}

// GetQueueAttributes counts messages: those never received that are hidden are
// delayed, others in flight.
func (s *SQS) GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, _ ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	q, err := s.of(ctx, in.QueueUrl)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	var visible, delayed, inFlight int
	for _, m := range q.messages {
		switch {
		case !m.Visible.After(now):
			visible++
		case m.Receives == 0:
			delayed++
		default:
			inFlight++
		}
	}
	return &sqs.GetQueueAttributesOutput{Attributes: map[string]string{
		"ApproximateNumberOfMessages":           strconv.Itoa(visible),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(delayed),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(inFlight),
	}}, nil
}
