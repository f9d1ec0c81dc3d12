package topic_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// fake takes batches as SNS does, and refuses what SNS refuses.
type fake struct {
	t     *testing.T
	calls []*sns.PublishBatchInput
	// answer changes the answer; nil leaves it.
	answer func(*sns.PublishBatchOutput) error
}

func (f *fake) PublishBatch(_ context.Context, in *sns.PublishBatchInput, _ ...func(*sns.Options)) (*sns.PublishBatchOutput, error) {
	f.calls = append(f.calls, in)
	size, out, seen := 0, &sns.PublishBatchOutput{}, map[string]bool{}
	for _, e := range in.PublishBatchRequestEntries {
		size += len(*e.Message)
		for name, a := range e.MessageAttributes {
			size += len(name) + len(*a.DataType) + len(*a.StringValue)
		}
		if seen[*e.Id] {
			f.t.Errorf("the id %s twice", *e.Id)
		}
		seen[*e.Id] = true
		out.Successful = append(out.Successful, types.PublishBatchResultEntry{Id: e.Id})
	}
	if n := len(in.PublishBatchRequestEntries); n == 0 || n > 10 || size > 256<<10 {
		return nil, fmt.Errorf("a batch of %d entries and %d bytes", n, size)
	}
	if f.answer != nil {
		if err := f.answer(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func messages(n, bytes int) (all []topic.Outgoing) {
	for i := range n {
		all = append(all, topic.Outgoing{Body: strings.Repeat("x", bytes), Name: "e", Dedup: fmt.Sprint(i)})
	}
	return all
}

// around is what SNS counts beside the body of such a message.
const around = len("event") + len("String") + len("e")

func TestBatches(t *testing.T) {
	for name, c := range map[string]struct {
		messages []topic.Outgoing
		want     string
	}{
		"none":                {nil, "[]"},
		"ten":                 {messages(10, 1), "[10]"},
		"23":                  {messages(23, 1), "[10 10 3]"},
		"exactly 256 KiB":     {messages(2, 128<<10-around), "[2]"},
		"a byte too many":     {append(messages(1, 128<<10-around), messages(1, 128<<10-around+1)...), "[1 1]"},
		"the largest message": {messages(2, 256<<10-around), "[1 1]"},
	} {
		f := &fake{t: t}
		errs := topic.New(f).Publish(t.Context(), "arn", c.messages)
		var sizes []int
		next := 0
		for _, call := range f.calls {
			sizes = append(sizes, len(call.PublishBatchRequestEntries))
			for _, e := range call.PublishBatchRequestEntries {
				if *e.MessageDeduplicationId != c.messages[next].Dedup || *call.TopicArn != "arn" {
					t.Errorf("%s: the message %s is not in its place", name, *e.MessageDeduplicationId)
				}
				next++
			}
		}
		if err := errors.Join(errs...); err != nil || len(errs) != len(c.messages) || fmt.Sprint(sizes) != c.want {
			t.Errorf("%s: batches %v, want %s: %v", name, sizes, c.want, err)
		}
	}
}

func TestWhatIsSent(t *testing.T) {
	f := &fake{t: t}
	topic.New(f).Publish(t.Context(), "arn", []topic.Outgoing{{Body: "a", Name: "recipe.published"}, {Body: "b", Name: "n", Group: "g", Dedup: "d"}})
	plain, ordered := f.calls[0].PublishBatchRequestEntries[0], f.calls[0].PublishBatchRequestEntries[1]
	if a := plain.MessageAttributes[topic.NameAttribute]; aws.ToString(a.DataType) != "String" || aws.ToString(a.StringValue) != "recipe.published" || len(plain.MessageAttributes) != 1 {
		t.Errorf("attributes %+v", plain.MessageAttributes)
	}
	if *plain.Message != "a" || plain.MessageGroupId != nil || plain.MessageDeduplicationId != nil {
		t.Errorf("sent %+v", plain)
	}
	if *ordered.MessageGroupId != "g" || *ordered.MessageDeduplicationId != "d" {
		t.Errorf("sent %+v", ordered)
	}
}

// Each message has its own result, in its place; what the answer does not mention
// was not published.
func TestResults(t *testing.T) {
	f := &fake{t: t, answer: func(out *sns.PublishBatchOutput) error {
		out.Failed = []types.BatchResultErrorEntry{
			{Id: aws.String("1"), Code: aws.String("InvalidParameter"), Message: aws.String("bad"), SenderFault: true},
			{Id: aws.String("77"), Code: aws.String("Foreign")}, {Id: nil},
		}
		out.Successful = []types.PublishBatchResultEntry{{Id: out.Successful[0].Id}, {Id: aws.String("-1")}, {Id: aws.String("x")}, {}}
		return nil
	}}
	errs := topic.New(f).Publish(t.Context(), "arn", messages(3, 1))
	var refused *queue.SendError
	if errs[0] != nil || !errors.As(errs[1], &refused) || !refused.Fault || refused.Code != "InvalidParameter" || refused.Message != "bad" {
		t.Errorf("results %v", errs)
	}
	if errs[2] == nil || errors.As(errs[2], &refused) || !strings.Contains(errs[2].Error(), "does not mention entry 2") {
		t.Errorf("what was not mentioned: %v", errs[2])
	}
}

// A call that fails says nothing of the calls after it.
func TestACallThatFails(t *testing.T) {
	down := errors.New("down")
	f := &fake{t: t}
	f.answer = func(*sns.PublishBatchOutput) error {
		if len(f.calls) == 1 {
			return down
		}
		return nil
	}
	errs := topic.New(f).Publish(t.Context(), "arn", messages(12, 1))
	for i, err := range errs {
		if failed := i < 10; errors.Is(err, down) != failed || (err != nil) != failed {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

// What a row makes is what a subscriber's worker reads.
func TestMessage(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_123).UTC()
	n := store.NewEvent{ID: "e1", Name: "recipe.published", Topic: "recipes", Key: "recipe/1", Version: 2, Data: []byte(`{"title":"<b>"}`), Trace: "Root=1"}
	m, err := topic.Message(n, at)
	if err != nil || m.Name != n.Name || m.Size() != len(m.Body)+len("event")+len("String")+len(n.Name) {
		t.Fatalf("%+v, %v", m, err)
	}
	got, err := queue.DecodeMessage(m.Body)
	if err != nil {
		t.Fatal(err)
	}
	e := got.Event
	if e.ID != "e1" || e.Name != n.Name || e.Key != n.Key || e.Version != 2 || !e.At.Equal(at) || got.Trace != "Root=1" || !strings.Contains(m.Body, `\u003cb`) {
		t.Errorf("%+v came back as %+v", n, e)
	}
	if _, err := topic.Message(store.NewEvent{ID: "e1", Data: []byte("{")}, at); err == nil {
		t.Error("data that are no JSON make a message")
	}
}

// noSNS stands for a client of the SDK.
type noSNS struct{}

func (noSNS) PublishBatch(_ context.Context, in *sns.PublishBatchInput, _ ...func(*sns.Options)) (*sns.PublishBatchOutput, error) {
	out := &sns.PublishBatchOutput{}
	for _, e := range in.PublishBatchRequestEntries {
		fmt.Println(aws.ToString(e.MessageAttributes["event"].StringValue), *e.Message)
		out.Successful = append(out.Successful, types.PublishBatchResultEntry{Id: e.Id})
	}
	return out, nil
}

// The relay publishes what the outbox holds; a program seldom does so itself.
func ExampleSNS_Publish() {
	topics := topic.New(noSNS{}) // sns.NewFromConfig(cfg)
	m, err := topic.Message(store.NewEvent{ID: "e1", Name: "recipe.published", Version: 1, Data: []byte(`{"id":"soup"}`)}, time.Unix(0, 0).UTC())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(topics.Publish(context.Background(), "arn:aws:sns:eu-west-1:123456789012:recipes", []topic.Outgoing{m}))
	// Output:
	// recipe.published {"event":{"id":"e1","name":"recipe.published","v":1,"at":"1970-01-01T00:00:00Z","data":{"id":"soup"}}}
	// [<nil>]
}
