package sqssource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner/filter"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// queue is a fake SQS that hands each message out once.
type queue struct {
	mu      sync.Mutex
	waiting []types.Message
	deleted []string
	polls   []*sqs.ReceiveMessageInput
	arrived chan struct{}
}

func newQueue(bodies ...string) *queue {
	q := &queue{arrived: make(chan struct{}, 100)}
	for i, body := range bodies {
		id := fmt.Sprint("m", i)
		q.waiting = append(q.waiting, types.Message{MessageId: &id, ReceiptHandle: &id, Body: aws.String(body),
			Attributes:        map[string]string{"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
			MessageAttributes: map[string]types.MessageAttributeValue{"a": {DataType: aws.String("String"), StringValue: aws.String("v")}}})
	}
	return q
}

func (q *queue) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q.mu.Lock()
	q.polls = append(q.polls, in)
	n := min(len(q.waiting), int(in.MaxNumberOfMessages))
	out := &sqs.ReceiveMessageOutput{Messages: q.waiting[:n]}
	q.waiting = q.waiting[n:]
	q.mu.Unlock()
	if n == 0 && in.WaitTimeSeconds == longPoll {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return out, nil
}

func (q *queue) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range in.Entries {
		q.deleted = append(q.deleted, *e.ReceiptHandle)
	}
	return &sqs.DeleteMessageBatchOutput{}, nil
}

type invoker func(event events.SQSEvent) (lambdaruntime.Result, error)

func (f invoker) Invoke(_ context.Context, payload []byte) (lambdaruntime.Result, error) {
	var event events.SQSEvent
	if err := json.Unmarshal(payload, &event); err != nil {
		return lambdaruntime.Result{}, err
	}
	return f(event)
}

func answer(s string) invoker {
	return func(events.SQSEvent) (lambdaruntime.Result, error) {
		return lambdaruntime.Result{Payload: []byte(s)}, nil
	}
}

func config(change func(*Config)) Config {
	c := Config{QueueURL: "url", QueueARN: "arn:aws:sqs:us-east-1:000000000000:q", Region: "us-east-1",
		Visibility: time.Minute, FunctionTimeout: time.Second, ReportBatchItemFailures: true}
	if change != nil {
		change(&c)
	}
	return c
}

// one receives and works off one batch.
func one(t *testing.T, c Config, q *queue, i Invoker) bool {
	t.Helper()
	s, err := New(c, q, i)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := s.receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ok := s.work(t.Context(), messages)
	slices.Sort(q.deleted)
	return ok
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ name, answer, deleted string }{
		{"empty list", `{"batchItemFailures":[]}`, "m0 m1 m2"},
		{"null list", `{"batchItemFailures":null}`, "m0 m1 m2"},
		{"empty object", `{}`, "m0 m1 m2"},
		{"null", `null`, "m0 m1 m2"},
		{"nothing", ``, "m0 m1 m2"},
		{"empty text", `""`, "m0 m1 m2"},
		{"one failed", `{"batchItemFailures":[{"itemIdentifier":"m1"}]}`, "m0 m2"},
		{"one failed twice", `{"batchItemFailures":[{"itemIdentifier":"m1"},{"itemIdentifier":"m1"}]}`, "m0 m2"},
		{"all failed", `{"batchItemFailures":[{"itemIdentifier":"m0"},{"itemIdentifier":"m1"},{"itemIdentifier":"m2"}]}`, ""},
		{"invalid JSON", `{"batchItemFailures":[`, ""},
		{"empty id", `{"batchItemFailures":[{"itemIdentifier":""}]}`, ""},
		{"null id", `{"batchItemFailures":[{"itemIdentifier":null}]}`, ""},
		{"wrong key", `{"batchItemFailures":[{"itemId":"m1"}]}`, ""},
		{"wrong case", `{"batchItemFailures":[{"itemidentifier":"m1"}]}`, ""},
		{"unknown id", `{"batchItemFailures":[{"itemIdentifier":"m1"},{"itemIdentifier":"m9"}]}`, ""},
		{"id of another kind", `{"batchItemFailures":[{"itemIdentifier":1}]}`, ""},
		{"list of texts", `{"batchItemFailures":["m1"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newQueue("a", "b", "c")
			one(t, config(nil), q, answer(c.answer))
			if got := strings.Join(q.deleted, " "); got != c.deleted {
				t.Errorf("deleted %q, want %q", got, c.deleted)
			}
		})
	}
	t.Run("without the setting the answer is ignored", func(t *testing.T) {
		q := newQueue("a", "b")
		one(t, config(func(c *Config) { c.ReportBatchItemFailures = false }), q, answer(`{"batchItemFailures":[{"itemIdentifier":"m1"}]}`))
		if len(q.deleted) != 2 {
			t.Errorf("deleted %q", q.deleted)
		}
	})
}

func TestFunctionErrorDeletesNothing(t *testing.T) {
	q := newQueue("a")
	ok := one(t, config(nil), q, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
		return lambdaruntime.Result{FunctionError: "Unhandled", Payload: []byte(`{}`)}, nil
	}))
	if ok || len(q.deleted) != 0 {
		t.Errorf("ok %t, deleted %q", ok, q.deleted)
	}
}

func TestThrottledBatchIsTriedUntilVisible(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	throttle := func(c *Config) {
		c.Now = func() time.Time { return now }
		c.Sleep = func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }
	}
	calls := 0
	q := newQueue("a")
	one(t, config(throttle), q, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
		if calls++; calls < 4 {
			return lambdaruntime.Result{}, lambdaruntime.ErrThrottled
		}
		return lambdaruntime.Result{}, nil
	}))
	if calls != 4 || len(q.deleted) != 1 {
		t.Errorf("%d calls, deleted %q", calls, q.deleted)
	}
	start := now
	q = newQueue("a")
	one(t, config(throttle), q, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
		return lambdaruntime.Result{}, lambdaruntime.ErrThrottled
	}))
	if took := now.Sub(start); took < 50*time.Second || took >= time.Minute || len(q.deleted) != 0 {
		t.Errorf("gave up after %s, deleted %q", took, q.deleted)
	}
}

func TestEventAndFilter(t *testing.T) {
	f, err := filter.Compile([]string{`{"body":{"k":["yes"]}}`})
	if err != nil {
		t.Fatal(err)
	}
	var got events.SQSEvent
	q := newQueue(`{"k":"yes"}`, `{"k":"no"}`, `plain`)
	one(t, config(func(c *Config) { c.Filter = f }), q, invoker(func(e events.SQSEvent) (lambdaruntime.Result, error) {
		got = e
		return lambdaruntime.Result{FunctionError: "Unhandled"}, nil
	}))
	if len(got.Records) != 1 || strings.Join(q.deleted, " ") != "m1 m2" {
		t.Fatalf("%d records, deleted %q", len(got.Records), q.deleted)
	}
	r := got.Records[0]
	if r.MessageId != "m0" || r.EventSource != "aws:sqs" || r.EventSourceARN != config(nil).QueueARN || r.AWSRegion != "us-east-1" ||
		r.Attributes["ApproximateReceiveCount"] != "1" || *r.MessageAttributes["a"].StringValue != "v" || r.MessageAttributes["a"].DataType != "String" {
		t.Errorf("record %+v", r)
	}
}

func TestBatches(t *testing.T) {
	large := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name   string
		bodies []string
		change func(*Config)
		want   []int
	}{
		{"ten at most without a window", make([]string, 25), nil, []int{10}},
		{"a window fills the batch", make([]string, 25), func(c *Config) { c.BatchSize, c.Window = 20, 2*time.Second }, []int{20}},
		{"an event stays under 6 MB", []string{large, large, large, large, large, large, large}, nil, []int{5, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sizes []int
			one(t, config(c.change), newQueue(c.bodies...), invoker(func(e events.SQSEvent) (lambdaruntime.Result, error) {
				sizes = append(sizes, len(e.Records))
				return lambdaruntime.Result{}, nil
			}))
			if !slices.Equal(sizes, c.want) {
				t.Errorf("batches of %v, want %v", sizes, c.want)
			}
		})
	}
}

func TestWindowProlongsTheVisibility(t *testing.T) {
	q := newQueue("a")
	one(t, config(func(c *Config) {
		c.Window, c.FunctionTimeout, c.Visibility = 2*time.Second, 50*time.Second, 51*time.Second
	}), q, answer(`{}`))
	if got := q.polls[0].VisibilityTimeout; got != 82 {
		t.Errorf("visibility %d, want 82", got)
	}
}

func TestNewRefusesAndAdvises(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"is less than the function's": func(c *Config) { c.Visibility = 0 },
		"needs a batching window":     func(c *Config) { c.BatchSize = 11 },
		"not within 1 and 10":         func(c *Config) { c.BatchSize, c.FIFO = 11, true },
		"not within 2 and 1000":       func(c *Config) { c.MaximumConcurrency = 1 },
		"not supported for FIFO":      func(c *Config) { c.FIFO, c.Window = true, time.Second },
	} {
		if _, err := New(config(change), newQueue(), answer("")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	var advice []string
	c := config(func(c *Config) { c.Visibility, c.MaxReceiveCount = 5*time.Second, 3 })
	c.Log = func(m string) { advice = append(advice, m) }
	if _, err := New(c, newQueue(), answer("")); err != nil || len(advice) != 2 {
		t.Errorf("%v, advice %q", err, advice)
	}
}

func TestRunWorksOffAndStops(t *testing.T) {
	q := newQueue(make([]string, 100)...)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(config(func(c *Config) { c.BatchSize = 1; c.MaximumConcurrency = 3 }), q, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
		q.arrived <- struct{}{}
		return lambdaruntime.Result{}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() { s.Run(ctx); close(stopped) }()
	for range 100 {
		<-q.arrived
	}
	cancel()
	<-stopped
	if len(q.deleted) != 100 {
		t.Errorf("deleted %d of 100", len(q.deleted))
	}
}
