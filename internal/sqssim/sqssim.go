// Package sqssim is SQS in memory, under a clock of the caller's: visibility,
// delays, receive counts, redrive, fair groups (package fairqueue), and in FIFO queues
// groups and deduplication.
//
// It speaks to nobody. Its methods are those of the SDK's client that package queue
// calls (queue.API), and those by which an event source takes messages out (Take,
// Delete). A queue whose name ends in ".fifo" is a first-in-first-out queue.
//
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/welcome.html
package sqssim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/fairqueue"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Account and Region are where all queues are.
const (
	Account = "123456789012"
	Region  = "eu-west-1"
)

// DefaultVisibility is SQS's own.
const DefaultVisibility = 30 * time.Second

// dedupFor is how long a FIFO queue knows a message again.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
const dedupFor = 5 * time.Minute

// A Config tells how the queues behave. The zero value of each field means its
// default.
type Config struct {
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Wait waits for a message of a queue that has none, for at most d; nil
	// answers such receives at once.
	Wait func(ctx context.Context, d time.Duration) error
	// Pick chooses the next of n messages that may come (in a FIFO queue the first
	// of each free group); nil takes the one that was sent first, and of a noisy
	// tenant after those of others.
	Pick func(n int) int
	// Changed is told that there may be something new to take; nil means nobody.
	Changed func()
	// Deleted is told of each message that was deleted; nil means nobody.
	Deleted func(queue string, m Message)
}

// A Queue says what a queue is like.
type Queue struct {
	// Visibility is how long a received message is hidden; zero means
	// DefaultVisibility.
	Visibility time.Duration
	// Redrive is the name of the queue that a message goes to when it is
	// received more often than MaxReceives; empty means none.
	Redrive     string
	MaxReceives int
}

// A Message is one in a queue, as its latest receive shows it.
type Message struct {
	ID, Receipt, Body, Group string
	// Trace is the system attribute AWSTraceHeader.
	Trace      string
	Attributes map[string]types.MessageAttributeValue
	// Sent and Received are when it was sent, and received for the first time;
	// Visible is from when on it may be received.
	Sent, Received, Visible time.Time
	// Receives counts.
	Receives int
	// Source is the ARN of the queue that SQS moved it from; empty for most.
	Source string
}

type message struct {
	Message
	earlier []string // receipts before the latest
}

type simulated struct {
	Queue
	name     string
	messages []*message
	dedup    map[string]time.Time
	made     int
	refuses  string
	shares   fairqueue.Shares // of a standard queue's groups, by receives alone
}

func (q *simulated) fifo() bool { return strings.HasSuffix(q.name, ".fifo") }

// SQS is a set of queues. It may be used by many goroutines.
type SQS struct {
	config Config

	mu     sync.Mutex
	queues map[string]*simulated
}

var _ queue.API = (*SQS)(nil)

// New makes SQS without any queue.
func New(config Config) *SQS {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Changed == nil {
		config.Changed = func() {}
	}
	if config.Deleted == nil {
		config.Deleted = func(string, Message) {}
	}
	return &SQS{config: config, queues: map[string]*simulated{}}
}

// Add makes a queue and gives its URL.
func (s *SQS) Add(name string, q Queue) (url string) {
	if q.Visibility == 0 {
		q.Visibility = DefaultVisibility
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues[name] = &simulated{Queue: q, name: name, dedup: map[string]time.Time{}}
	return URL(name)
}

// URL gives the URL of the queue of this name.
func URL(name string) string {
	return "https://sqs." + Region + ".amazonaws.com/" + Account + "/" + name
}

// ARN gives the ARN of the queue of this name.
func ARN(name string) string { return "arn:aws:sqs:" + Region + ":" + Account + ":" + name }

// Refuse lets a queue refuse each message with a code of SQS's; "" takes them.
func (s *SQS) Refuse(name, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues[name].refuses = code
}

// Peek gives a queue's messages, in the order in which they were sent, and hides
// nothing.
func (s *SQS) Peek(name string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for _, m := range s.queues[name].messages {
		all = append(all, m.Message)
	}
	return all
}

// Move puts a message into another queue as a new one, as AWS's console does. It
// does nothing (false) where there is no such message.
func (s *SQS) Move(from, to, id string) bool {
	s.mu.Lock()
	source := s.queues[from]
	at := slices.IndexFunc(source.messages, func(m *message) bool { return m.ID == id })
	if at >= 0 {
		m := source.messages[at]
		source.messages = slices.Delete(source.messages, at, at+1)
		s.put(s.queues[to], &message{Message: Message{Body: m.Body, Group: m.Group, Trace: m.Trace, Attributes: m.Attributes}})
	}
	s.mu.Unlock()
	s.config.Changed()
	return at >= 0
}

// Show makes a message visible at once, as if the visibility timeout of its latest
// receive had ended.
func (s *SQS) Show(name, id string) {
	s.mu.Lock()
	for _, m := range s.queues[name].messages {
		if m.ID == id {
			m.Visible = s.config.Now()
		}
	}
	s.mu.Unlock()
	s.config.Changed()
}

// Next gives the time from which on a message of one of the queues that is hidden
// now may be received; zero where there is none.
func (s *SQS) Next(names ...string) (next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	for _, name := range names {
		for _, m := range s.queues[name].messages {
			if m.Visible.After(now) && (next.IsZero() || m.Visible.Before(next)) {
				next = m.Visible
			}
		}
	}
	return next
}

// put adds a message. Ids count within the queue, so that they do not depend on what
// happens in others.
func (s *SQS) put(q *simulated, m *message) {
	q.made++
	m.ID, m.Sent = fmt.Sprintf("%s-%d", strings.TrimSuffix(q.name, ".fifo"), q.made), s.config.Now()
	if m.Visible.IsZero() {
		m.Visible = m.Sent
	}
	q.messages = append(q.messages, m)
}
