package outbox

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// Limits of one transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const (
	MaxActions = 100
	MaxBytes   = 4 << 20
	// MaxRow is the most bytes that one row has.
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
	MaxRow = 400 << 10
	// MaxEvent is the most bytes that an event's message has: its data as JSON
	// and what goes around them.
	// https://docs.aws.amazon.com/sns/latest/dg/sns-publishing.html
	MaxEvent = topic.MaxBatchBytes
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
type Action func(ctx context.Context, o *Outbox) (planned, error)

// A planned action is its write. job is set where the job is counted when it is made.
type planned struct {
	write store.Write
	job   *store.NewJob
}

// Write is a write of the caller's own, with DynamoDB's expressions.
func Write(w store.Write) Action {
	return func(context.Context, *Outbox) (planned, error) { return planned{write: w}, nil }
}

// Enqueue makes a job. A unique job (job.Unique) is refused: whether it is made
// depends on another job, and the transaction's other rows would with it. A job that is
// spilled (job.Spilled), or whose queue is Hard, is counted in the same transaction:
// where there is no room, Transact is producer.ErrFull and nothing was written; Writes
// refuses it.
func Enqueue(request job.Request, options ...job.Option) Action {
	return func(ctx context.Context, o *Outbox) (planned, error) {
		if o.config.Producer == nil {
			return planned{}, fmt.Errorf("%w: a job is to be enqueued, and Config.Producer is missing", ErrAction)
		}
		if o := job.Apply(options...); o.OnlyReplacing {
			return planned{}, fmt.Errorf("%w: %s: %w: a job of a transaction takes no other's place", ErrAction, request.Definition.Name, producer.ErrFull)
		} else if o.Unique != nil {
			return planned{}, fmt.Errorf("%w: %s: a unique job can't be part of a transaction: enqueue it by itself", ErrAction, request.Definition.Name)
		}
		n, err := o.config.Producer.Plan(ctx, request, options...)
		if err != nil {
			return planned{}, err
		}
		p := planned{write: o.config.Jobs.JobWrite(n)}
		if n.Hard != nil || n.Spill != nil {
			p.job = &n
		}
		return p, nil
	}
}

// Publish publishes an event to its topic. It has the trace that it was given
// (job.Occurrence.Traced), or else the context's.
func Publish(happened job.Occurrence) Action {
	return func(ctx context.Context, o *Outbox) (planned, error) {
		happened.Trace = telemetry.Carried(ctx, happened.Trace)
		n, err := o.event(happened)
		if err != nil {
			return planned{}, err
		}
		return planned{write: o.config.Jobs.EventWrite(n)}, nil
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
	if err := checkKey(d, happened); err != nil {
		return store.NewEvent{}, err
	}
	data, err := payload.Encode(happened.Data)
	if err != nil {
		return store.NewEvent{}, fmt.Errorf("%w: the event %s: %w", ErrAction, d.Name, err)
	}
	id, err := o.config.Jobs.NewID()
	if err != nil {
		return store.NewEvent{}, err
	}
	n := store.NewEvent{
		ID: string(id), Name: d.Name, Topic: d.Topic.Name, FIFO: d.Topic.FIFO,
		Key: happened.Key, Version: d.Version, Data: data, Trace: happened.Trace,
	}
	return n, checkMessage(n)
}

// checkMessage holds an event's message to SNS's limit. JSON within JSON may be
// escaped to several times its length, so that its own says little.
func checkMessage(n store.NewEvent) error {
	m, err := topic.Message(n, time.Time{})
	if err != nil {
		return fmt.Errorf("%w: the event %s: %w", ErrAction, n.Name, err)
	}
	// A time has up to ten bytes more than none.
	if size := m.Size() + len(".123456789"); size > MaxEvent {
		return fmt.Errorf("%w: the event %s makes a message of %d bytes, at most %d: put large data into object storage and publish its key", ErrTooMuch, n.Name, size, MaxEvent)
	}
	return nil
}

// longestKey is what an event's key may have: it is part of a row's primary key.
const longestKey = 1 << 10

func checkKey(d job.EventDefinition, happened job.Occurrence) error {
	key := happened.Key
	switch {
	case d.Topic.FIFO && key == "":
		return fmt.Errorf("%w: the event %s is of a FIFO topic: say what it happened to, events of one key are in order", ErrAction, d.Name)
	case len(key) > longestKey:
		return fmt.Errorf("%w: the key of the event %s has %d bytes, at most %d", ErrAction, d.Name, len(key), longestKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("%w: the key of the event %s is not UTF-8", ErrAction, d.Name)
	}
	return nil
}
