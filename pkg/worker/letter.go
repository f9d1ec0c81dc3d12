package worker

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// bury sends a message that can't be read to the dead-letter queue, as it is,
// with the reason beside it. Where that fails it comes again.
func (b *batch) bury(ctx context.Context, r *record, cause error) fate {
	came := queue.Outgoing{Body: r.Body, Trace: r.Trace, Attributes: b.attributes(ctx, r)}
	if b.queue.Queue.FIFO {
		came.Group, came.Dedup = r.Group, r.MessageID
	}
	letter := queue.Undecodable(came, cause)
	if err := b.config.Queue.Send(ctx, b.queue.Letters, []queue.Outgoing{letter})[0]; err != nil {
		b.config.Logger.ErrorContext(ctx, "an undecodable message could not be sent to the dead-letter queue", "message_id", r.MessageID, "cause", cause.Error(), "error", err.Error())
		return fate{}
	}
	b.config.Logger.ErrorContext(ctx, "an undecodable message was sent to the dead-letter queue", "message_id", r.MessageID, "queue", b.queue.Queue.Name, "error", cause.Error())
	return acknowledged
}

// An eventAttribute is a message attribute as Lambda's event has it.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
type eventAttribute struct {
	Type   string `json:"dataType"`
	Text   string `json:"stringValue"`
	Binary []byte `json:"binaryValue"`
}

// attributes reads the message attributes of a record.
func (b *batch) attributes(ctx context.Context, r *record) map[string]queue.Attribute {
	if r.Attributes == "" {
		return nil
	}
	var decoded map[string]eventAttribute
	if err := json.Unmarshal([]byte(r.Attributes), &decoded); err != nil {
		b.config.Logger.WarnContext(ctx, "the attributes of an undecodable message can't be read and are left out", "message_id", r.MessageID, "error", err.Error())
		return nil
	}
	attributes := map[string]queue.Attribute{}
	for name, a := range decoded {
		attributes[name] = queue.Attribute{Type: a.Type, Text: a.Text, Binary: a.Binary}
	}
	return attributes
}

// redrive lets a dead job start anew whose letter was sent back to its queue, by
// AWS's console for one.
func (b *batch) redrive(ctx context.Context, r *record, m queue.Message) fate {
	standing, err := deadletter.Redrive(ctx, b.config.Jobs, m)
	switch {
	case errors.Is(err, store.ErrDuplicate), errors.Is(err, store.ErrFull):
		return b.refuse(ctx, r, m, err)
	case errors.Is(err, deadletter.ErrContended):
		return b.again()
	case err != nil:
		return b.unavailable(ctx, m.ID, err)
	case standing == deadletter.Gone:
		b.config.Logger.WarnContext(ctx, "a letter came back whose job is gone: nothing to redrive", "job", m.ID, "letter", r.Body)
	case standing == deadletter.Stale:
		b.config.Logger.InfoContext(ctx, "a letter came back whose job was redriven before", "job", m.ID)
	default:
		b.config.Logger.InfoContext(ctx, "a letter came back; its job starts anew", "job", m.ID, "task", m.Letter.Task)
	}
	return acknowledged
}

// refuse sends a letter that came back to the dead-letter queue again, with the
// reason why its job can't start anew.
func (b *batch) refuse(ctx context.Context, r *record, m queue.Message, cause error) fate {
	letter, err := m.Refuse(cause).LetterOut(b.queue.Queue.FIFO)
	if err != nil {
		return b.unavailable(ctx, m.ID, err)
	}
	if b.queue.Queue.FIFO {
		letter.Dedup = r.MessageID // the letter's own may be known to SQS from minutes ago
	}
	if err := b.config.Queue.Send(ctx, b.queue.Letters, []queue.Outgoing{letter})[0]; err != nil {
		return b.unavailable(ctx, m.ID, err)
	}
	b.config.Logger.WarnContext(ctx, "a letter came back whose job can't start anew; it is in the dead-letter queue again", "job", m.ID, "error", cause.Error())
	return acknowledged
}
