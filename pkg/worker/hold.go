package worker

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// hidden is how long messages in hand are hidden at a time: a little longer than
// the lease lasts, so that whoever receives what a dead process held finds the
// lease ended.
func (c PollConfig) hidden() time.Duration { return c.Hold + hiddenBeyond }

const hiddenBeyond = lifecycle.LeaseMargin + time.Second

// HoldFor is the PollConfig.Hold with which messages are hidden for the given time
// at once: the visibility timeout of their queue, say.
func HoldFor(visibility time.Duration) time.Duration { return visibility - hiddenBeyond }

// holdMessages keeps all messages of the batch invisible to others, whether their
// jobs run, wait for their turn or have ended, until release is called.
func (b *batch) holdMessages(ctx context.Context) (release func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait := b.poll.config.Hold / beatsPerHold
		for failures := 0; sleep(ctx, wait); {
			err := b.extend(ctx)
			if err == nil || ctx.Err() != nil {
				failures, wait = 0, b.poll.config.Hold/beatsPerHold
				continue
			}
			failures++
			wait = min(beatWaits.After(failures, b.config.Random), b.poll.config.Hold/beatsPerHold)
			b.config.Logger.WarnContext(ctx, "messages in hand were not hidden any longer; it is tried again", "queue", b.queue.Queue.Name, "error", err.Error())
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// extend hides every message in hand from now on, as long as SQS lets it be held.
func (b *batch) extend(ctx context.Context) error {
	now := b.config.Now()
	left := b.started.Add(lifecycle.LongestInvisible - time.Minute).Sub(now)
	if left <= 0 {
		return nil // SQS would refuse; the message comes again, and finds the lease held
	}
	hidden := make([]queue.Hidden, len(b.records))
	for i, r := range b.records {
		hidden[i] = queue.Hidden{Receipt: r.Receipt, For: min(b.poll.config.hidden(), left)}
	}
	return errors.Join(b.config.Queue.Hide(ctx, b.queue.URL, hidden)...)
}
