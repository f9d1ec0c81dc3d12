package queue_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// receiver answers receives and deletes as it is told.
type receiver struct {
	fakeSQS
	asked    []*sqs.ReceiveMessageInput
	messages []types.Message
	deleted  []*sqs.DeleteMessageBatchInput
	err      error
	// answer makes the answer to a deletion.
	answer func(*sqs.DeleteMessageBatchInput) *sqs.DeleteMessageBatchOutput
}

func (r *receiver) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	r.asked = append(r.asked, in)
	return &sqs.ReceiveMessageOutput{Messages: r.messages}, r.err
}

func (r *receiver) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	r.deleted = append(r.deleted, in)
	if r.err != nil {
		return nil, r.err
	}
	return r.answer(in), nil
}

// The fake of the other tests receives nothing.
func (f *fakeSQS) ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	return nil, errors.New("nothing is to be received here")
}

func (f *fakeSQS) DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	return nil, errors.New("nothing is to be deleted here")
}

func TestReceive(t *testing.T) {
	fake := &receiver{messages: []types.Message{
		{
			MessageId: aws.String("m1"), ReceiptHandle: aws.String("r1"), Body: aws.String("hello"),
			Attributes: map[string]string{
				"ApproximateReceiveCount": "3", "SentTimestamp": "1795942800123", "MessageGroupId": "g", "AWSTraceHeader": "Root=1",
			},
			MessageAttributes: map[string]types.MessageAttributeValue{
				"text": {DataType: aws.String("String"), StringValue: aws.String("t")},
				"raw":  {DataType: aws.String("Binary"), BinaryValue: []byte{1}},
			},
		},
		{MessageId: aws.String("m2"), Attributes: map[string]string{"ApproximateReceiveCount": "many", "SentTimestamp": "once"}},
	}}
	got, err := queue.New(fake).Receive(t.Context(), "url", queue.Ask{Most: 10, Wait: 20 * time.Second, Hide: time.Minute, Attempt: "a"})
	want := []queue.Incoming{
		{
			ID: "m1", Receipt: "r1", Body: "hello", Receives: 3, Sent: time.UnixMilli(1795942800123).UTC(), Group: "g", Trace: "Root=1",
			Attributes: map[string]queue.Attribute{"text": queue.String("t"), "raw": {Type: "Binary", Binary: []byte{1}}},
		},
		{ID: "m2"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Receive = %+v, %v", got, err)
	}
	fake.err = errors.New("down")
	if _, err := queue.New(fake).Receive(t.Context(), "url", queue.Ask{}); !errors.Is(err, fake.err) {
		t.Errorf("a receive that failed: %v", err)
	}
}

func TestWhatAReceiveAsksFor(t *testing.T) {
	for _, tt := range []struct {
		ask                queue.Ask
		most, wait, hidden int32
		attempt            string
	}{
		{queue.Ask{}, 1, 0, 0, ""},
		{queue.Ask{Most: 10, Wait: 20 * time.Second, Hide: 90 * time.Second, Attempt: "a"}, 10, 20, 90, "a"},
		{queue.Ask{Most: 11, Wait: time.Minute, Hide: 24 * time.Hour}, 10, 20, 43200, ""},
		{queue.Ask{Most: -1, Wait: -1, Hide: -1}, 1, 0, 0, ""},
		{queue.Ask{Most: 2, Wait: time.Millisecond, Hide: time.Second + 1}, 2, 1, 2, ""},
	} {
		fake := &receiver{}
		if _, err := queue.New(fake).Receive(t.Context(), "url", tt.ask); err != nil {
			t.Fatal(err)
		}
		in := fake.asked[0]
		if in.MaxNumberOfMessages != tt.most || in.WaitTimeSeconds != tt.wait || in.VisibilityTimeout != tt.hidden || aws.ToString(in.ReceiveRequestAttemptId) != tt.attempt {
			t.Errorf("%+v became %+v", tt.ask, in)
		}
	}
}

func TestDelete(t *testing.T) {
	fake := &receiver{answer: func(in *sqs.DeleteMessageBatchInput) *sqs.DeleteMessageBatchOutput {
		out := &sqs.DeleteMessageBatchOutput{Failed: []types.BatchResultErrorEntry{
			{Id: in.Entries[0].Id, Code: aws.String("ReceiptHandleIsInvalid"), Message: aws.String("late")}, {Id: aws.String("77")},
		}}
		for _, e := range in.Entries[1 : len(in.Entries)-1] { // the last one is not mentioned
			out.Successful = append(out.Successful, types.DeleteMessageBatchResultEntry{Id: e.Id})
		}
		return out
	}}
	var receipts []string
	for i := range 13 {
		receipts = append(receipts, fmt.Sprint("r", i))
	}
	failed := map[int]bool{}
	for i, err := range queue.New(fake).Delete(t.Context(), "url", receipts) {
		failed[i] = err != nil
	}
	for i := range receipts {
		if want := i == 0 || i == 9 || i == 10 || i == 12; failed[i] != want {
			t.Errorf("message %d: failed is %v", i, failed[i])
		}
	}
	if len(fake.deleted) != 2 || *fake.deleted[1].Entries[2].ReceiptHandle != "r12" {
		t.Errorf("%d calls: %+v", len(fake.deleted), fake.deleted)
	}
	fake.err = errors.New("down")
	for _, err := range queue.New(fake).Delete(t.Context(), "url", receipts) {
		if !errors.Is(err, fake.err) || !strings.Contains(err.Error(), "url") {
			t.Errorf("a call that failed: %v", err)
		}
	}
}
