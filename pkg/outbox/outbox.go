package outbox

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Limits of one transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const (
	MaxActions = 100
	MaxBytes   = 4 << 20
	// MaxEvent is the most bytes that an event's data have as JSON: SNS takes
	// 256 KiB with what goes around them.
	// https://docs.aws.amazon.com/sns/latest/dg/sns-publishing.html
	MaxEvent = 240 << 10
)

// Errors that callers decide on. The same call fails again.
var (
	// ErrTooMuch: the actions exceed a transaction's limits.
	ErrTooMuch = errors.New("outbox: too much for one transaction")
	// ErrAction: an action makes no sense.
	ErrAction = errors.New("outbox: wrong action")
)

// A Config tells what an Outbox works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Producer makes jobs of requests. Required where jobs are enqueued.
	Producer *producer.Producer
}

// An Outbox writes transactions. It may be used by many goroutines.
type Outbox struct{ config Config }

// New makes an Outbox.
func New(config Config) (*Outbox, error) {
	if config.Jobs == nil {
		return nil, errors.New("outbox: Jobs is missing")
	}
	return &Outbox{config}, nil
}

// An Action is one row of a transaction. It is made by Write, Enqueue and Publish.
type Action func(ctx context.Context, o *Outbox) (store.Write, error)

// Write is a write of the caller's own, with DynamoDB's expressions.
func Write(w store.Write) Action {
	return func(context.Context, *Outbox) (store.Write, error) { return w, nil }
}

// Enqueue makes a job. A unique job (job.Unique) is refused: whether it is made
// depends on another job, and the transaction's other rows would with it.
func Enqueue(request job.Request, options ...job.Option) Action {
	return func(ctx context.Context, o *Outbox) (store.Write, error) {
		if o.config.Producer == nil {
			return store.Write{}, fmt.Errorf("%w: a job is to be enqueued, and Config.Producer is missing", ErrAction)
		}
		if job.Apply(options...).Unique != nil {
			return store.Write{}, fmt.Errorf("%w: %s: a unique job can't be part of a transaction: enqueue it by itself", ErrAction, request.Definition.Name)
		}
		n, err := o.config.Producer.Plan(ctx, request, options...)
		if err != nil {
			return store.Write{}, err
		}
		return o.config.Jobs.JobWrite(n), nil
	}
}

// Publish publishes an event to its topic.
func Publish(happened job.Occurrence) Action {
	return func(_ context.Context, o *Outbox) (store.Write, error) {
		n, err := o.event(happened)
		if err != nil {
			return store.Write{}, err
		}
		return o.config.Jobs.EventWrite(n), nil
	}
}

// event checks an event and gives it as it is to be written.
func (o *Outbox) event(happened job.Occurrence) (store.NewEvent, error) {
	d := happened.Definition
	if err := d.Validate(); err != nil {
		return store.NewEvent{}, fmt.Errorf("%w: %w", ErrAction, err)
	}
	if t := reflect.TypeOf(happened.Data); t != d.Data {
		return store.NewEvent{}, fmt.Errorf("%w: the event %s has a %v and was given a %v", ErrAction, d.Name, d.Data, t)
	}
	if err := checkKey(d, happened.Key); err != nil {
		return store.NewEvent{}, err
	}
	data, err := payload.Encode(happened.Data)
	if err != nil {
		return store.NewEvent{}, fmt.Errorf("%w: the event %s: %w", ErrAction, d.Name, err)
	}
	if len(data) > MaxEvent {
		return store.NewEvent{}, fmt.Errorf("%w: the data of the event %s have %d bytes, at most %d: put large data into object storage and publish its key", ErrTooMuch, d.Name, len(data), MaxEvent)
	}
	id, err := o.config.Jobs.NewID()
	return store.NewEvent{
		ID: string(id), Name: d.Name, Topic: d.Topic.Name, FIFO: d.Topic.FIFO,
		Key: happened.Key, Version: d.Version, Data: data,
	}, err
}

// longestKey is what an event's key may have: it is part of a row's primary key.
const longestKey = 1 << 10

func checkKey(d job.EventDefinition, key string) error {
	switch {
	case d.Topic.FIFO && key == "":
		return fmt.Errorf("%w: the event %s is of a FIFO topic: say what it happened to, events of one key are in order", ErrAction, d.Name)
	case len(key) > longestKey:
		return fmt.Errorf("%w: the key of the event %s has %d bytes, at most %d", ErrAction, d.Name, len(key), longestKey)
	}
	return nil
}
