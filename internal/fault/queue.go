package fault

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// SQS is the part of the SQS client that pkg uses.
type SQS interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	ChangeMessageVisibilityBatch(context.Context, *sqs.ChangeMessageVisibilityBatchInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error)
	GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Queue is SQS as the process reaches it. Where SQS throttles a batch, it says so of
// each entry.
func (p *Process) Queue(inner SQS) SQS { return queueClient{p, inner} }

type queueClient struct {
	p     *Process
	inner SQS
}

// throttledCode is SQS's.
const throttledCode = "RequestThrottled"

var errBusy error = &smithy.GenericAPIError{Code: throttledCode, Message: "injected", Fault: smithy.FaultClient}

func nameIn(url *string) string {
	return aws.ToString(url)[strings.LastIndexByte(aws.ToString(url), '/')+1:]
}

func throttledEntry(id *string) types.BatchResultErrorEntry {
	return types.BatchResultErrorEntry{Id: id, Code: aws.String(throttledCode), Message: aws.String("injected")}
}

// SendMessageBatch sends messages.
func (q queueClient) SendMessageBatch(ctx context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	out, err := perform(ctx, q.p, Call{Method: "SendMessageBatch", Key: nameIn(in.QueueUrl)}, errBusy, func(ctx context.Context) (*sqs.SendMessageBatchOutput, error) {
		return q.inner.SendMessageBatch(ctx, in)
	})
	if err == errBusy {
		out, err = &sqs.SendMessageBatchOutput{}, nil
		for _, e := range in.Entries {
			out.Failed = append(out.Failed, throttledEntry(e.Id))
		}
	}
	return out, err
}

// ChangeMessageVisibilityBatch hides messages.
func (q queueClient) ChangeMessageVisibilityBatch(ctx context.Context, in *sqs.ChangeMessageVisibilityBatchInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	out, err := perform(ctx, q.p, Call{Method: "ChangeMessageVisibilityBatch", Key: nameIn(in.QueueUrl)}, errBusy, func(ctx context.Context) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
		return q.inner.ChangeMessageVisibilityBatch(ctx, in)
	})
	if err == errBusy {
		out, err = &sqs.ChangeMessageVisibilityBatchOutput{}, nil
		for _, e := range in.Entries {
			out.Failed = append(out.Failed, throttledEntry(e.Id))
		}
	}
	return out, err
}

// DeleteMessageBatch deletes messages.
func (q queueClient) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	out, err := perform(ctx, q.p, Call{Method: "DeleteMessageBatch", Key: nameIn(in.QueueUrl)}, errBusy, func(ctx context.Context) (*sqs.DeleteMessageBatchOutput, error) {
		return q.inner.DeleteMessageBatch(ctx, in)
	})
	if err == errBusy {
		out, err = &sqs.DeleteMessageBatchOutput{}, nil
		for _, e := range in.Entries {
			out.Failed = append(out.Failed, throttledEntry(e.Id))
		}
	}
	return out, err
}

// ReceiveMessage receives messages: it changes what is visible.
func (q queueClient) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	return perform(ctx, q.p, Call{Method: "ReceiveMessage", Key: nameIn(in.QueueUrl)}, errBusy, func(ctx context.Context) (*sqs.ReceiveMessageOutput, error) {
		return q.inner.ReceiveMessage(ctx, in)
	})
}

// GetQueueAttributes counts messages.
func (q queueClient) GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, _ ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	return perform(ctx, q.p, Call{Method: "GetQueueAttributes", Key: nameIn(in.QueueUrl), Reads: true}, errBusy, func(ctx context.Context) (*sqs.GetQueueAttributesOutput, error) {
		return q.inner.GetQueueAttributes(ctx, in)
	})
}
