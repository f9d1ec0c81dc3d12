package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Queue hides messages and sends them back; *queue.SQS does.
type Queue interface {
	Hide(ctx context.Context, url string, messages []queue.Hidden) []error
	Send(ctx context.Context, url string, messages []queue.Outgoing) []error
}

// A BackstopConfig tells what a backstop works with.
type BackstopConfig struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Queue speaks to SQS. Required.
	Queue Queue
	// Beside is a queue of the same account and region; the backstop's own URL
	// follows from it. Required.
	Beside queue.Address
	// Logger takes what was done; default slog.Default().
	Logger *slog.Logger
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// A Backstop heals what SQS moved away because it was received too often, which
// throttles and duplicates use up as well as failures: unfinished jobs are
// published again, messages of finished ones dropped. What can't be read stays
// failed, so that SQS moves it on to the backstop's own dead-letter queue.
type Backstop struct{ config BackstopConfig }

// NewBackstop makes a Backstop. Every mistake is reported at once.
func NewBackstop(config BackstopConfig) (*Backstop, error) {
	var problems []error
	if config.Jobs == nil {
		problems = append(problems, errors.New("sweep: Jobs is missing"))
	}
	if config.Queue == nil {
		problems = append(problems, errors.New("sweep: Queue is missing"))
	}
	if config.Beside.URL == "" {
		problems = append(problems, errors.New("sweep: Beside is missing: the URL of a queue beside the backstop"))
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Backstop{config: config}, nil
}

// errBusy: the job's worker may be alive; its message waits until the lease ends.
var errBusy = errors.New("its lease has not ended")

// errChanged: somebody changed the job just then, and nobody knows whether it has
// another message. It is looked at again.
var errChanged = errors.New("the job changed meanwhile")

// Handle works through a batch of the backstop's queue.
func (b *Backstop) Handle(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
	if len(event.Records) == 0 {
		return answer, errors.New("sweep: not a batch of SQS messages: it has no records")
	}
	for i, record := range event.Records {
		if record.MessageId == "" {
			return answer, fmt.Errorf("sweep: record %d has no messageId", i)
		}
	}
	for _, record := range event.Records {
		rec, err := b.heal(ctx, record)
		if err == nil {
			continue
		}
		// A message that is in the batch twice is answered once.
		if failure := (events.SQSBatchItemFailure{ItemIdentifier: record.MessageId}); !slices.Contains(answer.BatchItemFailures, failure) {
			answer.BatchItemFailures = append(answer.BatchItemFailures, failure)
		}
		if errors.Is(err, errBusy) {
			err = b.hide(ctx, record, rec)
		}
		if err != nil {
			b.config.Logger.ErrorContext(ctx, "a message of the backstop stays", "message_id", record.MessageId, "error", err.Error())
		}
	}
	return answer, nil
}

// heal does what the state of a message's job asks for. A nil error means that
// the message has done its duty.
func (b *Backstop) heal(ctx context.Context, record events.SQSMessage) (rec store.Record, err error) {
	m, err := queue.DecodeMessage(record.Body)
	if err != nil {
		return rec, err
	}
	if m.Event != nil {
		return rec, b.sendBack(ctx, record, m)
	}
	rec, err = b.config.Jobs.Get(ctx, m.ID)
	if errors.Is(err, store.ErrNotFound) {
		return rec, nil
	}
	if err != nil {
		return rec, err
	}
	var remedy func(context.Context, store.Record) (bool, error)
	switch {
	case m.Letter != nil && rec.State == lifecycle.Dead: // it came back to its job's queue
		_, err := deadletter.Redrive(ctx, b.config.Jobs, m)
		return rec, err
	case rec.State == lifecycle.Queued:
		remedy = b.config.Jobs.Republish
	case rec.State == lifecycle.Running && b.config.Now().Before(rec.LeaseUntil.Add(lifecycle.LeaseMargin)):
		return rec, errBusy
	case rec.State == lifecycle.Running:
		remedy = b.config.Jobs.Requeue
	default: // finished, or scheduled: nothing is left to do
		return rec, nil
	}
	healed, err := remedy(ctx, rec)
	if err == nil && !healed {
		err = errChanged
	}
	if err == nil {
		b.config.Logger.InfoContext(ctx, "healed what came to the backstop", "job", rec.ID, "task", rec.Task, "state", string(rec.State))
	}
	return rec, err
}

// sendBack sends an event's message to the queue that it came from: only the worker
// there knows which job it stands for, and that job's row says whether anything is
// left to do.
func (b *Backstop) sendBack(ctx context.Context, record events.SQSMessage, m queue.Message) error {
	from := record.Attributes["DeadLetterQueueSourceArn"]
	name := from[strings.LastIndexByte(from, ':')+1:]
	if name == "" {
		return fmt.Errorf("event %s does not say which queue SQS moved it from", m.Event.ID)
	}
	url := b.config.Beside.Beside(name)
	out := queue.Outgoing{Body: record.Body, Trace: record.Attributes["AWSTraceHeader"]}
	if (queue.Address{URL: url}).FIFO() {
		// SQS drops what it has seen within five minutes: each return is new.
		out.Group = record.Attributes["MessageGroupId"]
		out.Dedup = queue.Fitting(fmt.Sprintf("%s:%d", record.MessageId, b.config.Now().UnixMilli()))
	}
	if err := b.config.Queue.Send(ctx, url, []queue.Outgoing{out})[0]; err != nil {
		return err
	}
	b.config.Logger.InfoContext(ctx, "sent an event back to its queue", "event", m.Event.ID, "name", m.Event.Name, "queue", name)
	return nil
}

// hide keeps a message away until the lease of its job has ended.
func (b *Backstop) hide(ctx context.Context, record events.SQSMessage, rec store.Record) error {
	name := record.EventSourceARN[strings.LastIndexByte(record.EventSourceARN, ':')+1:]
	wait := rec.LeaseUntil.Add(lifecycle.LeaseMargin).Sub(b.config.Now())
	return b.config.Queue.Hide(ctx, b.config.Beside.Beside(name), []queue.Hidden{{Receipt: record.ReceiptHandle, For: wait}})[0]
}
