package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// fakeSQS answers as it is told and keeps what it was asked.
type fakeSQS struct {
	sent   []*sqs.SendMessageBatchInput
	hidden []*sqs.ChangeMessageVisibilityBatchInput
	send   func(*sqs.SendMessageBatchInput) (*sqs.SendMessageBatchOutput, error)
	counts map[string]string
}

func (f *fakeSQS) SendMessageBatch(_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	f.sent = append(f.sent, in)
	if f.send != nil {
		return f.send(in)
	}
	out := &sqs.SendMessageBatchOutput{}
	for _, e := range in.Entries {
		out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: e.Id})
	}
	return out, nil
}

func (f *fakeSQS) ChangeMessageVisibilityBatch(_ context.Context, in *sqs.ChangeMessageVisibilityBatchInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	f.hidden = append(f.hidden, in)
	return &sqs.ChangeMessageVisibilityBatchOutput{Failed: []types.BatchResultErrorEntry{{Id: in.Entries[0].Id, Code: aws.String("MessageNotInflight"), Message: aws.String("late")}}}, nil
}

func (f *fakeSQS) GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	return &sqs.GetQueueAttributesOutput{Attributes: f.counts}, nil
}

func TestSendSplitsIntoCalls(t *testing.T) {
	big := strings.Repeat("x", 400<<10)
	tests := []struct {
		name   string
		bodies []string
		calls  []int
	}{
		{"none", nil, nil},
		{"ten in one", make([]string, 10), []int{10}},
		{"eleven in two", make([]string, 11), []int{10, 1}},
		{"1 MiB in sum", []string{big, big, big, "x"}, []int{2, 2}},
		{"one too large for any call goes alone", []string{strings.Repeat("x", 2<<20), "x"}, []int{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := &fakeSQS{}
			var messages []queue.Outgoing
			for _, body := range tt.bodies {
				messages = append(messages, queue.Outgoing{Body: body})
			}
			for i, err := range queue.New(fake).Send(t.Context(), "url", messages) {
				if err != nil {
					t.Errorf("message %d: %v", i, err)
				}
			}
			var calls []int
			for _, in := range fake.sent {
				calls = append(calls, len(in.Entries))
			}
			if fmt.Sprint(calls) != fmt.Sprint(tt.calls) {
				t.Errorf("calls of %v, want %v", calls, tt.calls)
			}
		})
	}
}

func TestEveryEntryIsLookedAt(t *testing.T) {
	fake := &fakeSQS{send: func(in *sqs.SendMessageBatchInput) (*sqs.SendMessageBatchOutput, error) {
		return &sqs.SendMessageBatchOutput{
			Successful: []types.SendMessageBatchResultEntry{{Id: in.Entries[0].Id}},
			Failed: []types.BatchResultErrorEntry{
				{Id: in.Entries[1].Id, Code: aws.String("InvalidMessageContents"), Message: aws.String("bad"), SenderFault: true},
				{Id: aws.String("77")},
			},
		}, nil
	}}
	results := queue.New(fake).Send(t.Context(), "url", make([]queue.Outgoing, 3))
	var refused *queue.SendError
	if results[0] != nil || !errors.As(results[1], &refused) || !refused.Fault {
		t.Errorf("results %v", results)
	}
	if results[2] == nil || errors.As(results[2], &refused) {
		t.Errorf("an entry that the answer does not mention: %v, want an error that is not SQS's", results[2])
	}
}

func TestSendReportsAFailedCallForAll(t *testing.T) {
	down := errors.New("down")
	fake := &fakeSQS{send: func(*sqs.SendMessageBatchInput) (*sqs.SendMessageBatchOutput, error) { return nil, down }}
	for i, err := range queue.New(fake).Send(t.Context(), "url", make([]queue.Outgoing, 2)) {
		if !errors.Is(err, down) {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

func TestWaitsAreRoundedUpAndCut(t *testing.T) {
	fake := &fakeSQS{}
	q := queue.New(fake)
	q.Send(t.Context(), "url", []queue.Outgoing{{Delay: 1}, {Delay: time.Hour}, {}})
	for i, want := range []int32{1, 900, 0} {
		if got := fake.sent[0].Entries[i].DelaySeconds; got != want {
			t.Errorf("delay %d: %d s, want %d", i, got, want)
		}
	}
	results := q.Hide(t.Context(), "url", []queue.Hidden{{For: time.Second + 1}, {For: 24 * time.Hour}, {For: -1}})
	for i, want := range []int32{2, 43200, 0} {
		if got := fake.hidden[0].Entries[i].VisibilityTimeout; got != want {
			t.Errorf("hidden %d: %d s, want %d", i, got, want)
		}
	}
	if results[0] == nil || results[1] != nil {
		t.Errorf("results %v", results)
	}
}

func TestDepth(t *testing.T) {
	fake := &fakeSQS{counts: map[string]string{
		"ApproximateNumberOfMessages": "3", "ApproximateNumberOfMessagesDelayed": "4", "ApproximateNumberOfMessagesNotVisible": "5",
	}}
	depth, err := queue.New(fake).Depth(t.Context(), "url")
	if err != nil || depth != (queue.Depth{Visible: 3, Delayed: 4, InFlight: 5}) || depth.Total() != 12 {
		t.Errorf("Depth = %+v, %v", depth, err)
	}
	fake.counts = nil
	if _, err := queue.New(fake).Depth(t.Context(), "url"); err == nil {
		t.Error("an answer without counts was taken for an empty queue")
	}
}

func TestMessages(t *testing.T) {
	m := queue.Message{ID: job.IDOf([16]byte{1}), N: 3, Trace: "Root=1-2-3"}
	body, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := queue.DecodeMessage(body); err != nil || got != m {
		t.Errorf("DecodeMessage = %+v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", "[]", `{"id":"x","n":1}`, `{"id":"` + string(m.ID) + `","n":1,"more":2}`, "hello"} {
		if _, err := queue.DecodeMessage(bad); !errors.Is(err, queue.ErrUndecodable) {
			t.Errorf("DecodeMessage(%q) = %v", bad, err)
		}
	}
}

func TestLettersPassSQS(t *testing.T) {
	m := queue.Message{ID: job.IDOf([16]byte{1}), N: 1, Letter: &queue.Letter{Reason: "bad \uFFFF \x00 \xff text"}}
	body, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := queue.DecodeMessage(body); err != nil || !strings.HasPrefix(got.Letter.Reason, "bad ") {
		t.Errorf("DecodeMessage = %+v, %v", got, err)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x00b\uFFFFc\xff")
	f.Fuzz(func(t *testing.T, text string) {
		clean := queue.Clean(text)
		if !utf8.ValidString(clean) {
			t.Fatal("not UTF-8")
		}
		for _, r := range clean {
			if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
				t.Errorf("%q holds %U", clean, r)
			}
		}
		if queue.Clean(clean) != clean {
			t.Error("cleaning twice changes more")
		}
	})
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add(`{"id":"0123456789abcdefghjkmnpqrs","n":1}`)
	f.Fuzz(func(t *testing.T, body string) {
		m, err := queue.DecodeMessage(body)
		if err != nil {
			return
		}
		if _, err := job.ParseID(string(m.ID)); err != nil {
			t.Errorf("a message without a job: %+v", m)
		}
	})
}

func ExampleMessage_Encode() {
	body, err := queue.Message{ID: job.IDOf([16]byte{}), N: 1}.Encode()
	fmt.Println(body, err)
	// Output: {"id":"00000000000000000000000000","n":1} <nil>
}
