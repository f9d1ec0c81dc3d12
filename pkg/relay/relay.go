package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// SendTime is the longest that one invocation spends on sending to one queue
// (half of what is left of it, where that is less), so that a queue which hangs
// does not hold up the shard.
const SendTime = 5 * time.Second

// DefaultSetAside is a minute: the sweep runs as often.
const DefaultSetAside = time.Minute

// Queue is the part of SQS that the relay uses; *queue.SQS is one.
type Queue interface {
	Send(ctx context.Context, url string, messages []queue.Outgoing) []error
}

// Topics is the part of SNS that the relay uses; *topic.SNS is one.
type Topics interface {
	Publish(ctx context.Context, arn string, messages []topic.Outgoing) []error
}

// A Config tells what a relay works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Queue speaks to SQS. Required.
	Queue Queue
	// Addresses says where queues and dead-letter queues are, by the queue's
	// name. Rows for a queue that is not among them are set aside.
	Addresses map[string]queue.Address
	// Topics speaks to SNS. Required where there are TopicARNs.
	Topics Topics
	// TopicARNs says where topics are, by their names. Events for a topic that
	// is not among them are set aside.
	TopicARNs map[string]string
	// SetAside is the shortest wait of a job whose queue takes nothing for now; the
	// longest is twice that. Default DefaultSetAside.
	SetAside time.Duration
	// Logger takes what could not be published; default slog.Default().
	Logger *slog.Logger
	// Metrics takes what is measured, and is flushed at the end of each batch; nil
	// measures nothing.
	Metrics telemetry.Recorder
	// Tracer makes a span of each call that sends messages of jobs; nil makes none.
	Tracer telemetry.Tracer
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random spreads waits, in [0, 1); default math/rand/v2.
	Random func() float64
}

// A Relay publishes rows. It keeps nothing between invocations and may be used by
// many goroutines.
type Relay struct{ config Config }

// New makes a Relay. Every mistake is reported at once.
func New(config Config) (*Relay, error) {
	var problems []error
	if config.Jobs == nil {
		problems = append(problems, errors.New("relay: Jobs is missing"))
	}
	if config.Queue == nil {
		problems = append(problems, errors.New("relay: Queue is missing"))
	}
	for name, address := range config.Addresses {
		if address.URL == "" || address.Letters == "" {
			problems = append(problems, fmt.Errorf("relay: Addresses lacks the URL of queue %q or of its dead-letter queue", name))
		}
	}
	if len(config.TopicARNs) > 0 && config.Topics == nil {
		problems = append(problems, errors.New("relay: TopicARNs are given and Topics is missing"))
	}
	for name, arn := range config.TopicARNs {
		if arn == "" {
			problems = append(problems, fmt.Errorf("relay: TopicARNs lacks the ARN of topic %q", name))
		}
	}
	if config.SetAside == 0 {
		config.SetAside = DefaultSetAside
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Random == nil {
		config.Random = rand.Float64
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Relay{config: config}, nil
}

// Handle publishes the rows of a stream's batch. The answer names the first
// record that failed, or none.
func (r *Relay) Handle(ctx context.Context, event events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	if event.Records == nil {
		return events.DynamoDBEventResponse{}, errors.New("relay: the event has no Records: not a stream's batch")
	}
	for i, record := range event.Records {
		if record.Change.SequenceNumber == "" {
			return events.DynamoDBEventResponse{}, fmt.Errorf("relay: record %d has no sequence number: not a stream's batch", i)
		}
	}
	// failed has one place for each record, written by whoever publishes it.
	failed := make([]bool, len(event.Records))
	var targets sync.WaitGroup
	for _, t := range r.sort(ctx, event.Records) {
		targets.Go(func() { t.publish(ctx, failed) })
	}
	targets.Wait()
	telemetry.Flush(ctx, r.config.Metrics)

	response := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for i, record := range event.Records {
		if failed[i] {
			// Lambda goes back to the lowest number that it is told; records
			// come in their order, so that this is it.
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.DynamoDBBatchItemFailure{ItemIdentifier: record.Change.SequenceNumber})
			break
		}
	}
	return response, nil
}

// A publisher publishes the rows that go to one place.
type publisher interface {
	publish(ctx context.Context, failed []bool)
}

// The rows of a batch to publish, by where they go.
type sorted struct {
	jobs   map[string]*target[store.Record, queue.Outgoing]
	events map[string]*target[store.Event, topic.Outgoing]
	// all are the targets in the order in which they were met.
	all []publisher
}

// sort picks the rows to publish and gathers them by where they go, in order.
func (r *Relay) sort(ctx context.Context, records []events.DynamoDBEventRecord) []publisher {
	s := &sorted{jobs: map[string]*target[store.Record, queue.Outgoing]{}, events: map[string]*target[store.Event, topic.Outgoing]{}}
	for i, record := range records {
		image, err := newlyAsking(record)
		if image != nil && err == nil {
			err = r.place(ctx, s, i, image)
		}
		if err != nil {
			// Delivered again it would read no better, and hold up the shard.
			r.config.Logger.ErrorContext(ctx, "a row that asks to be published can't be read and is passed over", "sequence", record.Change.SequenceNumber, "error", err.Error())
		}
	}
	return s.all
}

// place puts a row to the others that go where it goes. Rows of other kinds than jobs,
// events and probes are passed over.
func (r *Relay) place(ctx context.Context, s *sorted, index int, image store.Item) error {
	event, err := store.DecodeEvent(image)
	if err == nil {
		r.placeEvent(ctx, s, index, event)
	}
	if !errors.Is(err, store.ErrNotAnEvent) {
		return err
	}
	probe, err := store.DecodeProbe(image)
	if err == nil {
		return r.placeProbe(s, index, probe)
	}
	row, err := store.Decode(image)
	if err == nil {
		r.placeJob(ctx, s, index, row)
	}
	if errors.Is(err, store.ErrNotAJob) {
		return nil
	}
	return err
}
