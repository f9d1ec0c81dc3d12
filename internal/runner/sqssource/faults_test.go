package sqssource

import (
	"context"
	"encoding/json"
	"errors"
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

// forgetful is a queue in which messages may be gone already, or can't be deleted.
type forgetful struct {
	*queue
	gone map[string]bool
	down error
}

func (f forgetful) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	if f.down != nil {
		return nil, f.down
	}
	out, err := f.queue.DeleteMessageBatch(ctx, in)
	for _, e := range in.Entries {
		if f.gone[*e.ReceiptHandle] {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("ReceiptHandleIsInvalid"), SenderFault: true})
		}
	}
	return out, err
}

// A function may delete its messages itself. That they are gone when the mapping
// comes to delete them is no failure of the invocation.
func TestAMessageThatTheFunctionDeletedIsNoFailure(t *testing.T) {
	for name, client := range map[string]forgetful{
		"one is gone":          {queue: newQueue("a", "b"), gone: map[string]bool{"m0": true}},
		"all are gone":         {queue: newQueue("a", "b"), gone: map[string]bool{"m0": true, "m1": true}},
		"none can be deleted":  {queue: newQueue("a", "b"), down: errors.New("connection reset")},
		"nothing is to delete": {queue: newQueue()},
	} {
		t.Run(name, func(t *testing.T) {
			invocations := 0
			s, err := New(config(nil), client, invoker(func(events.SQSEvent) (lambdaruntime.Result, error) {
				invocations++
				return lambdaruntime.Result{}, nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			waiting := len(client.waiting)
			messages, err := s.poll(t.Context(), 10, 0)
			if err != nil {
				t.Fatal(err)
			}
			if ok := s.work(t.Context(), messages); !ok || invocations != min(waiting, 1) {
				t.Errorf("ok %v after %d invocations", ok, invocations)
			}
		})
	}
}

// What Lambda takes as batch size, window and concurrency.
func TestWhatAMappingMayAskFor(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		says   string // "" means that it is taken
	}{
		{"a window on a FIFO queue", func(c *Config) { c.FIFO, c.Window = true, 5*time.Second }, "not supported for FIFO"},
		{"eleven of a FIFO queue", func(c *Config) { c.FIFO, c.BatchSize = true, 11 }, "within 1 and 10"},
		{"eleven without a window", func(c *Config) { c.BatchSize = 11 }, "window of at least 1 second"},
		{"ten thousand within a second", func(c *Config) { c.BatchSize, c.Window = 10_000, time.Second }, ""},
		{"one more than that", func(c *Config) { c.BatchSize, c.Window = 10_001, time.Second }, "within 1 and 10000"},
		{"a window too long", func(c *Config) { c.Window = 301 * time.Second }, "within 0s and 5m0s"},
		{"the longest window", func(c *Config) { c.Window = 300 * time.Second }, ""},
		{"less than one", func(c *Config) { c.BatchSize = -1 }, "within 1 and 10000"},
		{"ten of a FIFO queue", func(c *Config) { c.FIFO, c.BatchSize = true, 10 }, ""},
		{"one at once", func(c *Config) { c.MaximumConcurrency = 1 }, "1 is not within 2 and 1000"},
		{"two at once", func(c *Config) { c.MaximumConcurrency = 2 }, ""},
		{"a thousand at once", func(c *Config) { c.MaximumConcurrency = 1000 }, ""},
		{"one more at once", func(c *Config) { c.MaximumConcurrency = 1001 }, "1001 is not within 2 and 1000"},
		{"fewer than none at once", func(c *Config) { c.MaximumConcurrency = -1 }, "-1 is not within 2 and 1000"},
		{"a queue that hides too shortly", func(c *Config) { c.Visibility, c.FunctionTimeout = time.Minute, 3*time.Minute },
			"visibility timeout (60 seconds) is less than the function's timeout (180 seconds)"},
		{"a queue that hides just long enough", func(c *Config) { c.Visibility, c.FunctionTimeout = 3*time.Minute, 3*time.Minute }, ""},
	} {
		_, err := New(config(c.change), newQueue(), answer(""))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

// strict is a queue with a redrive policy: what was received too often moves on
// before anybody sees it again.
type strict struct {
	mu       sync.Mutex
	messages []types.Message
	receives map[string]int
	most     int
	letters  []string
}

func (s *strict) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &sqs.ReceiveMessageOutput{}
	for _, m := range slices.Clone(s.messages) {
		if s.receives[*m.MessageId]++; s.receives[*m.MessageId] > s.most {
			s.letters = append(s.letters, *m.MessageId)
			s.messages = slices.DeleteFunc(s.messages, func(o types.Message) bool { return *o.MessageId == *m.MessageId })
			continue
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

func (s *strict) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range in.Entries {
		s.messages = slices.DeleteFunc(s.messages, func(m types.Message) bool { return *m.ReceiptHandle == *e.ReceiptHandle })
	}
	return &sqs.DeleteMessageBatchOutput{}, nil
}

// A record that the function reports is neither deleted nor lost: the function
// sees it as often as the queue allows, and then it is a letter, alone.
func TestAReportedRecordBecomesALetter(t *testing.T) {
	for most := 1; most <= 3; most++ {
		q := &strict{most: most, receives: map[string]int{}, messages: slices.Clone(newQueue("good", "bad", "fine").waiting)}
		seen := map[string]int{}
		s, err := New(config(func(c *Config) { c.MaxReceiveCount = most }), q, invoker(func(e events.SQSEvent) (lambdaruntime.Result, error) {
			failures := []map[string]string{}
			for _, r := range e.Records {
				if seen[r.Body]++; r.Body == "bad" {
					failures = append(failures, map[string]string{"itemIdentifier": r.MessageId})
				}
			}
			payload, err := json.Marshal(map[string]any{"batchItemFailures": failures})
			return lambdaruntime.Result{Payload: payload}, err
		}))
		if err != nil {
			t.Fatal(err)
		}
		for range most + 2 {
			messages, err := s.receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(messages) > 0 {
				s.work(t.Context(), messages)
			}
		}
		if fmt.Sprint(q.letters) != "[m1]" || len(q.messages) != 0 || seen["bad"] != most || seen["good"] != 1 || seen["fine"] != 1 {
			t.Errorf("at most %d receives: letters %v, left %d, seen %v", most, q.letters, len(q.messages), seen)
		}
	}
}

// A queue's filter deletes what it does not match, and so does the mapping here;
// it says what it deleted, since a mistake in a pattern loses messages.
func TestMessagesOutsideTheFilterAreDeletedAndTold(t *testing.T) {
	f, err := filter.Compile([]string{`{"body":{"type":["email"]}}`})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	q := newQueue(`{"type":"email"}`, `{"type":"Email"}`, `not JSON`, `{"Type":"email"}`)
	seen := 0
	one(t, config(func(c *Config) { c.Filter, c.Log = f, func(m string) { told = append(told, m) } }), q, invoker(func(e events.SQSEvent) (lambdaruntime.Result, error) {
		seen += len(e.Records)
		return lambdaruntime.Result{}, nil
	}))
	if seen != 1 || len(q.deleted) != 4 {
		t.Errorf("%d records came to the function, deleted %q", seen, q.deleted)
	}
	if lines := slices.DeleteFunc(told, func(m string) bool { return !strings.Contains(m, "filter") }); len(lines) != 1 || !strings.Contains(lines[0], "3 messages") {
		t.Errorf("told: %q", told)
	}
}
