package invariants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// The stack's queues, by their URLs.
const (
	source   = "https://sqs.eu-west-1.amazonaws.com/123456789012/notes"
	letters  = "https://sqs.eu-west-1.amazonaws.com/123456789012/letters"
	backstop = "https://sqs.eu-west-1.amazonaws.com/123456789012/backstop"
	fifo     = ".fifo"
)

const (
	visibility = 30 * time.Second
	// maxReceives is low, so that the backstop has something to do.
	maxReceives = 6
	dedupFor    = 5 * time.Minute
)

// A message is in one queue.
type message struct {
	id, body, group string
	receipt         string   // of the last receive
	earlier         []string // of those before
	visible         time.Time
	receives        int
}

// simulatedSQS keeps messages as SQS does, refuses some, and forgets to answer.
type simulatedSQS struct {
	w        *world
	messages map[string][]*message
	dedup    map[string]time.Time
	made     int
}

// Send takes messages. In a storm it refuses some, and loses some answers.
func (s *simulatedSQS) Send(_ context.Context, url string, outgoing []queue.Outgoing) []error {
	s.w.interleave()
	results := make([]error, len(outgoing))
	for i, m := range outgoing {
		lost := s.w.chance(10)
		switch {
		case !lost && s.w.chance(10):
			results[i] = errors.New("throttled")
			continue
		case !lost && s.w.chance(60) && url == s.w.source():
			results[i] = &queue.SendError{Code: "InvalidMessageContents", Fault: true}
			continue
		case lost:
			results[i] = errors.New("the answer was lost")
		}
		if at, sent := s.dedup[m.Dedup]; sent && m.Dedup != "" && s.w.now.Sub(at) < dedupFor {
			continue
		}
		s.dedup[m.Dedup] = s.w.now
		s.made++
		s.messages[url] = append(s.messages[url], &message{
			id: fmt.Sprint(s.made), body: m.Body, group: m.Group, visible: s.w.now.Add(m.Delay),
		})
	}
	return results
}

// receive gives up to n messages; what was received too often goes to the
// backstop. A group waits while one of it is in flight.
func (s *simulatedSQS) receive(url string, n int) []message {
	var got []message
	blocked := map[string]bool{}
	for _, m := range append([]*message(nil), s.messages[url]...) {
		hidden := m.visible.After(s.w.now)
		if hidden && m.group != "" {
			blocked[m.group] = true
		}
		if hidden || blocked[m.group] || len(got) == n {
			continue
		}
		if m.receives++; m.receives > maxReceives && url == source {
			s.drop(url, m)
			m.receives = 0
			s.messages[backstop] = append(s.messages[backstop], m)
			continue
		}
		s.made++
		m.earlier = append(m.earlier, m.receipt)
		m.receipt, m.visible = fmt.Sprint("r", s.made), s.w.now.Add(visibility)
		got = append(got, *m)
	}
	return got
}

// held finds a message by the receipt of its last receive. That of an earlier one
// may still do, in a standard queue.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
func (s *simulatedSQS) held(url, receipt string) *message {
	for _, m := range s.messages[url] {
		if m.receipt == receipt || m.group == "" && slices.Contains(m.earlier, receipt) && s.w.chance(2) {
			return m
		}
	}
	return nil
}

func (s *simulatedSQS) drop(url string, m *message) {
	kept := s.messages[url][:0:0]
	for _, other := range s.messages[url] {
		if other != m {
			kept = append(kept, other)
		}
	}
	s.messages[url] = kept
}

// Hide sets when messages are visible again, where they are still in flight.
func (s *simulatedSQS) Hide(_ context.Context, url string, hidden []queue.Hidden) []error {
	s.w.interleave()
	results := make([]error, len(hidden))
	for i, h := range hidden {
		m := s.held(url, h.Receipt)
		if m == nil || !m.visible.After(s.w.now) || s.w.chance(10) {
			results[i] = errors.New("MessageNotInflight")
			continue
		}
		m.visible = s.w.now.Add(h.For)
	}
	return results
}

// Depth counts what is there.
func (s *simulatedSQS) Depth(_ context.Context, url string) (queue.Depth, error) {
	var d queue.Depth
	for _, m := range s.messages[url] {
		if m.visible.After(s.w.now) {
			d.InFlight++
		} else {
			d.Visible++
		}
	}
	return d, nil
}
