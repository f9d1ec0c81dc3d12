// Package sqssource polls an SQS queue and invokes a function with its
// messages, as an event source mapping of Lambda does.
//
// A failed batch's messages are left alone: they come back when the queue's
// visibility timeout ends, and the queue's redrive policy counts their receives.
//
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
package sqssource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/filter"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// Client is the part of SQS that a source uses; *sqs.Client is one.
type Client interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Invoker runs the function; *lambdaruntime.Function is one.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) (lambdaruntime.Result, error)
}

// Limits of a mapping. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
const (
	maxBatch     = 10_000
	maxFIFOBatch = 10
	maxWindow    = 300 * time.Second
	firstWorkers = 5
	// eventRoom is left for the event around the bodies.
	eventRoom = 64 << 10
)

// Config describes a mapping.
type Config struct {
	// QueueURL and QueueARN name the queue; FIFO tells its kind.
	QueueURL, QueueARN string
	FIFO               bool
	// Region is the AWS region of the events.
	Region string
	// Visibility is the queue's visibility timeout.
	Visibility time.Duration
	// MaxReceiveCount is the queue's redrive limit; zero means it has none.
	MaxReceiveCount int
	// FunctionTimeout is the function's.
	FunctionTimeout time.Duration
	// BatchSize is the most messages of an event; zero means 10.
	BatchSize int
	// Window is how long to wait for a batch to fill.
	Window time.Duration
	// MaximumConcurrency is the mapping's; zero means it sets none.
	MaximumConcurrency int
	// Workers bounds the concurrent batches on this machine; zero means 64.
	Workers int
	// ReportBatchItemFailures tells that the function answers which messages
	// failed; without it the answer is ignored.
	ReportBatchItemFailures bool
	// Filter chooses messages; others are deleted.
	Filter *filter.Filter
	// Log takes what people should know; nil drops it.
	Log func(message string)
	// Clock is the stack's clock; nil means the machine's.
	Clock *clock.Clock
	// Now is the clock in the place of Clock's; nil means Clock's.
	Now func() time.Time
	// Received is called when messages were received and the Clock is held for them;
	// nil is not.
	Received func()
	// Sleep waits in the place of Clock; nil means Clock does.
	Sleep func(context.Context, time.Duration) error
}

// A Source polls one queue.
type Source struct {
	config  Config
	client  Client
	invoker Invoker

	busy    atomic.Int64
	mu      sync.Mutex
	limit   int
	workers int
	wait    sync.WaitGroup
}

// New checks a mapping. The error joins all that Lambda would refuse;
// what it would accept against its own advice is logged.
func New(config Config, client Client, invoker Invoker) (*Source, error) {
	config.BatchSize = cmp.Or(config.BatchSize, 10)
	config.Workers = cmp.Or(config.Workers, 64)
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Now == nil {
		config.Now = config.Clock.Now
	}
	if config.Received == nil {
		config.Received = func() {}
	}
	if config.Sleep == nil {
		config.Sleep = config.Clock.Sleep
	}
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("sqssource: the mapping of %s: %w", config.QueueARN, err)
	}
	config.advise()
	s := &Source{config: config, client: client, invoker: invoker}
	s.SetMaximumConcurrency(config.MaximumConcurrency)
	return s, nil
}

// SetMaximumConcurrency changes the mapping's, also while it runs; zero means that it
// sets none. Pollers that are too many end when they have seen to what they have in
// hand; more are added as there is work for them.
func (s *Source) SetMaximumConcurrency(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = s.config.Workers
	if most > 0 {
		s.limit = min(s.limit, most)
	}
	s.limit = max(s.limit, 1)
}

// Pollers tells how many pollers there are.
func (s *Source) Pollers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workers
}

func (c *Config) check() error {
	var errs []error
	largest := maxBatch
	if c.FIFO {
		largest = maxFIFOBatch
	}
	if c.BatchSize < 1 || c.BatchSize > largest {
		errs = append(errs, fmt.Errorf("the batch size %d is not within 1 and %d", c.BatchSize, largest))
	}
	if c.BatchSize > 10 && c.Window < time.Second {
		errs = append(errs, errors.New("a batch size over 10 needs a batching window of at least 1 second"))
	}
	if c.Window < 0 || c.Window > maxWindow {
		errs = append(errs, fmt.Errorf("the batching window %s is not within 0s and %s", c.Window, maxWindow))
	}
	if c.FIFO && c.Window > 0 {
		errs = append(errs, errors.New("batching window is not supported for FIFO queues"))
	}
	if c.MaximumConcurrency != 0 && (c.MaximumConcurrency < 2 || c.MaximumConcurrency > 1000) {
		errs = append(errs, fmt.Errorf("the maximum concurrency %d is not within 2 and 1000", c.MaximumConcurrency))
	}
	if c.Visibility < c.FunctionTimeout {
		errs = append(errs, fmt.Errorf("the queue's visibility timeout (%.0f seconds) is less than the function's timeout (%.0f seconds)", c.Visibility.Seconds(), c.FunctionTimeout.Seconds()))
	}
	return errors.Join(errs...)
}

// advise logs where the mapping goes against what AWS's documentation advises.
func (c *Config) advise() {
	if want := 6*c.FunctionTimeout + c.Window; c.Visibility < want {
		c.Log(fmt.Sprintf("the visibility timeout %s of %s is less than six times the function's timeout plus the window (%s): messages of a slow batch may be delivered twice", c.Visibility, c.QueueARN, want))
	}
	if c.MaxReceiveCount > 0 && c.MaxReceiveCount < 5 {
		c.Log(fmt.Sprintf("maxReceiveCount %d of %s is less than 5: throttled messages may be moved without ever having run", c.MaxReceiveCount, c.QueueARN))
	}
}

// Run polls until ctx ends; batches under way are seen to their end. It may be run
// again after that.
func (s *Source) Run(ctx context.Context) {
	for range min(firstWorkers, s.room()) {
		s.startWorker(ctx, true)
	}
	for s.rest(ctx, time.Second) == nil {
		if int(s.busy.Load()) < s.Pollers() {
			continue
		}
		for range min(firstWorkers, s.room()) {
			s.startWorker(ctx, false)
		}
	}
	s.wait.Wait()
}

// room is how many more pollers there may be.
func (s *Source) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit - s.workers
}

// surplus tells a poller that there are too many: it is no longer counted, and ends.
func (s *Source) surplus() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workers <= s.limit {
		return false
	}
	s.workers--
	return true
}

// rest waits between looks, which are no reason to stop a flight of the clock.
func (s *Source) rest(ctx context.Context, d time.Duration) error {
	if s.config.Clock != nil {
		return clock.Sleep(ctx, d)
	}
	return s.config.Sleep(ctx, d)
}

// startWorker adds a poller. One that is not permanent ends when it finds the
// queue empty.
func (s *Source) startWorker(ctx context.Context, permanent bool) {
	s.mu.Lock()
	s.workers++
	s.mu.Unlock()
	s.wait.Go(func() {
		left := false
		defer func() {
			if !left {
				s.mu.Lock()
				s.workers--
				s.mu.Unlock()
			}
		}()
		failures := 0
		for ctx.Err() == nil {
			if left = s.surplus(); left {
				return
			}
			messages, err := s.receive(ctx)
			switch {
			case err != nil && ctx.Err() == nil:
				s.config.Log("receiving: " + err.Error())
				failures++
			case err != nil:
				return
			case len(messages) == 0 && !permanent:
				return
			case len(messages) == 0 || s.work(ctx, messages):
				failures = 0
			default:
				failures++
			}
			if failures > 0 && s.config.Sleep(ctx, backoff(failures)) != nil {
				return
			}
		}
	})
}

// backoff is how long a worker waits after that many failures in a row.
func backoff(failures int) time.Duration {
	return min(100*time.Millisecond<<min(failures-1, 10), 5*time.Second)
}
