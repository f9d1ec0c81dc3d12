package sqssource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/partial"
)

// maxEvent is the most that the records of one event may take, in bytes.
const maxEvent = lambdaruntime.MaxPayload - eventRoom

// work invokes the function with the messages and deletes what it is done with.
// false asks the poller to slow down.
func (s *Source) work(ctx context.Context, messages []types.Message) bool {
	s.busy.Add(1)
	defer s.busy.Add(-1)
	defer s.config.Clock.Hold()()
	s.config.Received()
	// A batch that has been received is worked off even while stopping.
	ctx = context.WithoutCancel(ctx)
	received := s.config.Now()
	wanted, records := s.choose(ctx, messages)
	ok := true
	for len(wanted) > 0 {
		n := fitting(records)
		if !s.invoke(ctx, wanted[:n], records[:n], received) {
			ok = false
		}
		wanted, records = wanted[n:], records[n:]
	}
	return ok
}

// choose turns messages into records and deletes those that the filter drops.
func (s *Source) choose(ctx context.Context, messages []types.Message) (wanted []types.Message, records []json.RawMessage) {
	var dropped []types.Message
	for _, m := range messages {
		r, err := s.record(m)
		switch {
		case err != nil:
			s.config.Log(fmt.Sprintf("message %s: %v", aws.ToString(m.MessageId), err))
		case s.config.Filter.MatchMessage(r, "body"):
			wanted, records = append(wanted, m), append(records, r)
		default:
			dropped = append(dropped, m)
		}
	}
	if len(dropped) > 0 {
		s.config.Log(fmt.Sprintf("%d messages match no filter and are deleted, as Lambda does; a mistake in a pattern loses messages", len(dropped)))
	}
	s.remove(ctx, dropped)
	return wanted, records
}

// fitting tells how many of the records fit into one event; at least one.
func fitting(records []json.RawMessage) int {
	size := 0
	for i, r := range records {
		size += len(r) + 1
		if size > maxEvent && i > 0 {
			return i
		}
	}
	return len(records)
}

// invoke runs the function for one event. A throttled one is tried again until
// its messages become visible anyway.
func (s *Source) invoke(ctx context.Context, messages []types.Message, records []json.RawMessage, received time.Time) bool {
	event, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		s.config.Log("encoding an event: " + err.Error())
		return false
	}
	for attempt := 1; ; attempt++ {
		result, err := s.invoker.Invoke(ctx, event)
		switch {
		case errors.Is(err, lambdaruntime.ErrThrottled):
			wait := backoff(attempt)
			if s.config.Now().Add(wait).Sub(received) >= s.config.Visibility || s.config.Sleep(ctx, wait) != nil {
				s.config.Log(fmt.Sprintf("%d messages go back to the queue: the function is throttled", len(messages)))
				return false
			}
			continue
		case err != nil:
			if !errors.Is(err, lambdaruntime.ErrClosed) {
				s.config.Log("invoking: " + err.Error())
			}
			return false
		case result.FunctionError != "":
			return false
		}
		s.remove(ctx, s.done(messages, result.Payload))
		return true
	}
}

// done gives the messages that the answer lets go.
func (s *Source) done(messages []types.Message, answer []byte) []types.Message {
	if !s.config.ReportBatchItemFailures {
		return messages
	}
	ids := map[string]bool{}
	for _, m := range messages {
		ids[aws.ToString(m.MessageId)] = true
	}
	failed, err := partial.Failures(answer, ids)
	if err != nil {
		s.config.Log(fmt.Sprintf("the whole batch failed, because the answer is malformed: %v", err))
		return nil
	}
	var kept []types.Message
	stopped := map[string]bool{}
	for _, m := range messages {
		group := m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)]
		if failed[aws.ToString(m.MessageId)] {
			stopped[group] = true
			continue
		}
		if s.config.FIFO && stopped[group] {
			s.config.Log(fmt.Sprintf("message %s of group %s succeeded after one before it had failed: a function of a FIFO queue must stop at the first failure and report the rest", aws.ToString(m.MessageId), group))
		}
		kept = append(kept, m)
	}
	return kept
}
