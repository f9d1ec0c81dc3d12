package worker

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// bury sends a message that can't be read to the dead-letter queue, as it is,
// with the reason beside it. Where that fails it comes again.
func (b *batch) bury(ctx context.Context, r *record, cause error) fate {
	letter := queue.Undecodable(r.Body, cause)
	if b.queue.Queue.FIFO {
		letter.Group, letter.Dedup = r.Group, r.MessageID
	}
	if err := b.config.Queue.Send(ctx, b.queue.Letters, []queue.Outgoing{letter})[0]; err != nil {
		b.config.Logger.ErrorContext(ctx, "an undecodable message could not be sent to the dead-letter queue", "message_id", r.MessageID, "cause", cause.Error(), "error", err.Error())
		return fate{}
	}
	b.config.Logger.ErrorContext(ctx, "an undecodable message was sent to the dead-letter queue", "message_id", r.MessageID, "queue", b.queue.Queue.Name, "error", cause.Error())
	return acknowledged
}

// redrive lets a dead job start anew whose letter was sent back to its queue, by
// AWS's console for one.
func (b *batch) redrive(ctx context.Context, m queue.Message) fate {
	rec, err := b.config.Jobs.Get(ctx, m.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		b.config.Logger.WarnContext(ctx, "a letter came back whose job is gone: nothing to redrive", "job", m.ID)
		return acknowledged
	case err != nil:
		return b.unavailable(ctx, m.ID, err)
	case rec.State != lifecycle.Dead:
		return acknowledged // redriven before
	}
	redriven, err := b.config.Jobs.Redrive(ctx, rec)
	if err != nil {
		return b.unavailable(ctx, m.ID, err)
	}
	if !redriven {
		return b.again() // it changed just then, or the answer was lost
	}
	b.config.Logger.InfoContext(ctx, "a letter came back; its job starts anew", "job", m.ID, "task", rec.Task)
	return acknowledged
}
