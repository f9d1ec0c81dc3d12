package sqssource

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// longPoll is SQS's longest wait, in seconds.
const longPoll = 20

// receive gathers one batch: what a long poll brings, and with a window what
// else arrives until it ends or the batch is full. It waits without end for the
// first message only as long as one long poll.
func (s *Source) receive(ctx context.Context) ([]types.Message, error) {
	batch, err := s.poll(ctx, s.config.BatchSize, longPoll)
	if err != nil || len(batch) == 0 || s.config.Window == 0 {
		return batch, err
	}
	end, size := s.config.Now().Add(s.config.Window), volume(batch)
	for len(batch) < s.config.BatchSize && size < maxEvent {
		left := end.Sub(s.config.Now())
		if left < time.Second {
			break
		}
		more, err := s.more(ctx, s.config.BatchSize-len(batch), left)
		if err != nil {
			// What has been received is worth an invocation all the same.
			s.config.Log("filling a batch: " + err.Error())
			break
		}
		batch = append(batch, more...)
		size += volume(more)
	}
	return batch, nil
}

// more waits for further messages, as long as a long poll and no longer than left. By a
// clock that isn't the machine's it looks each second: long polls are the machine's.
func (s *Source) more(ctx context.Context, most int, left time.Duration) ([]types.Message, error) {
	if s.config.Clock == nil {
		return s.poll(ctx, most, min(int(left/time.Second), longPoll))
	}
	if err := s.config.Sleep(ctx, time.Second); err != nil {
		return nil, err
	}
	return s.poll(ctx, most, 0)
}

func (s *Source) poll(ctx context.Context, most, seconds int) ([]types.Message, error) {
	input := &sqs.ReceiveMessageInput{
		QueueUrl:                    &s.config.QueueURL,
		MaxNumberOfMessages:         int32(min(most, 10)),
		WaitTimeSeconds:             int32(seconds),
		MessageAttributeNames:       []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	}
	// A window that leaves the function too little time prolongs the timeout.
	if c := s.config; c.Window > 0 && c.Window+c.FunctionTimeout > c.Visibility {
		input.VisibilityTimeout = int32((c.Window + c.FunctionTimeout + 30*time.Second) / time.Second)
	}
	output, err := s.client.ReceiveMessage(ctx, input)
	if err != nil {
		return nil, err
	}
	return output.Messages, nil
}

// volume is the size of the messages' bodies.
func volume(messages []types.Message) int {
	n := 0
	for _, m := range messages {
		n += len(aws.ToString(m.Body))
	}
	return n
}

// remove deletes messages, ten a call. What cannot be deleted comes back.
func (s *Source) remove(ctx context.Context, messages []types.Message) {
	for len(messages) > 0 {
		n := min(len(messages), 10)
		input := &sqs.DeleteMessageBatchInput{QueueUrl: &s.config.QueueURL}
		for i, m := range messages[:n] {
			input.Entries = append(input.Entries, types.DeleteMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), ReceiptHandle: m.ReceiptHandle})
		}
		messages = messages[n:]
		output, err := s.client.DeleteMessageBatch(ctx, input)
		if err != nil {
			s.config.Log("deleting messages: " + err.Error())
			continue
		}
		for _, f := range output.Failed {
			s.config.Log(fmt.Sprintf("deleting a message: %s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
	}
}
