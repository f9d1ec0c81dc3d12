package knownfaults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A message is in the queue.
type message struct {
	id, body, group string
	sent, visible   time.Time
}

// simulatedSQS is one queue that keeps to SQS's times: it holds a message back for
// 15 minutes at most, hides one for 12 hours at most, and drops each 14 days after
// it was sent, hidden or not.
type simulatedSQS struct {
	visibility time.Duration
	// copies is how often each message is there: SQS promises one at least.
	copies int

	mu       sync.Mutex
	messages []*message
	made     int
	// oldest is the greatest age at which a message was received; dropped counts
	// those that retention took.
	oldest  time.Duration
	dropped int
}

// Send takes messages.
func (s *simulatedSQS) Send(_ context.Context, url string, outgoing []queue.Outgoing) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	results := make([]error, len(outgoing))
	for i, m := range outgoing {
		if m.Delay > lifecycle.LongestDelay || m.Delay < 0 {
			results[i] = &queue.SendError{Code: "InvalidParameterValue", Fault: true}
			continue
		}
		if url == "letters" {
			continue
		}
		for range max(s.copies, 1) {
			s.made++
			// SQS takes whole seconds, which package queue rounds up.
			delay := (m.Delay + time.Second - 1).Truncate(time.Second)
			s.messages = append(s.messages, &message{
				id: fmt.Sprint("m", s.made), body: m.Body, group: m.Group, sent: time.Now(), visible: time.Now().Add(delay),
			})
		}
	}
	return results
}

// retain drops what is too old.
func (s *simulatedSQS) retain() {
	kept := slices.DeleteFunc(s.messages, func(m *message) bool { return time.Since(m.sent) >= lifecycle.QueueRetention })
	s.dropped += len(s.messages) - len(kept)
	s.messages = kept
}

// receive gives visible messages, and hides them.
func (s *simulatedSQS) receive(n int) []*message {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retain()
	var got []*message
	for _, m := range s.messages {
		if len(got) < n && !m.visible.After(time.Now()) {
			s.oldest = max(s.oldest, time.Since(m.sent))
			m.visible = time.Now().Add(s.visibility)
			got = append(got, m)
		}
	}
	return got
}

func (s *simulatedSQS) remove(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = slices.DeleteFunc(s.messages, func(other *message) bool { return other == m })
}

// next tells when the next message is visible.
func (s *simulatedSQS) next() (at time.Time, any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retain()
	for i, m := range s.messages {
		if i == 0 || m.visible.Before(at) {
			at, any = m.visible, true
		}
	}
	return at, any
}

// Hide sets when messages are visible again.
func (s *simulatedSQS) Hide(_ context.Context, _ string, hidden []queue.Hidden) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	results := make([]error, len(hidden))
	for i, h := range hidden {
		at := slices.IndexFunc(s.messages, func(m *message) bool { return m.id == h.Receipt })
		if at < 0 || h.For < 0 || h.For > lifecycle.LongestInvisible {
			results[i] = errors.New("InvalidParameterValue")
			continue
		}
		s.messages[at].visible = time.Now().Add((h.For + time.Second - 1).Truncate(time.Second))
	}
	return results
}

// Depth counts what is there.
func (s *simulatedSQS) Depth(context.Context, string) (queue.Depth, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retain()
	var d queue.Depth
	for _, m := range s.messages {
		if m.visible.After(time.Now()) {
			d.InFlight++
		} else {
			d.Visible++
		}
	}
	return d, nil
}
