package worker

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// ErrStuck is the error of an invocation in which a handler ignored the end of
// its context; the process exits before anybody sees it, save in tests.
var ErrStuck = errors.New("worker: a handler ignored the end of its context")

// Invoke works through one batch of messages and answers which of them are to
// come again. It is a lambda.Handler.
func (w *Worker) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	records, from, err := decodeBatch(event)
	if err != nil {
		return nil, err
	}
	b, err := w.newBatch(ctx, records, from)
	if err != nil {
		return nil, err
	}
	b.runSideBySide(ctx)
	b.runAlone(ctx)
	b.settleOverruns(ctx)
	b.hideFailed(ctx)
	b.releasePlaces(ctx)
	telemetry.Flush(ctx, b.config.Metrics)
	if b.stuck.Load() {
		w.config.Exit(1)
		return nil, ErrStuck
	}
	return b.answer()
}

// process works through one message: decode, claim, run.
func (b *batch) process(ctx context.Context, r *record) fate {
	message, err := queue.DecodeMessage(r.Body)
	switch {
	case err != nil:
		return b.bury(ctx, r, err)
	case message.Letter != nil:
		return b.redrive(ctx, r, message)
	case !b.mayStart():
		return b.again()
	case message.Event != nil:
		return b.happened(ctx, r, message)
	}
	lease, err := b.newLease(b.alone)
	if err != nil {
		return b.unavailable(ctx, message.ID, err)
	}
	claim, err := b.config.Jobs.Claim(ctx, message.ID, lease)
	if err != nil {
		return b.unclaimed(ctx, message.ID, lease, err)
	}
	return b.follow(ctx, r, &claim)
}

// follow does what the claim's finding asks for.
func (b *batch) follow(ctx context.Context, r *record, claim *store.Claim) fate {
	switch claim.Finding {
	case lifecycle.Mine:
		return b.attempt(ctx, r, &claim.Record)
	case lifecycle.Early, lifecycle.Busy:
		return visibleAt(claim.Until)
	case lifecycle.Orphaned, lifecycle.Suspect:
		return fate{alone: &claim.Record}
	case lifecycle.Missing, lifecycle.Finished: // nothing is left to do
		return acknowledged
	default: // contended: it waits again, and this may be its only message
		return b.again()
	}
}

// runAlone takes on, one at a time, the jobs whose workers died: now that the
// rest of the batch has ended, each runs alone.
func (b *batch) runAlone(ctx context.Context) {
	for i := range b.fates {
		if found := b.fates[i].alone; found != nil {
			b.fates[i] = b.takeOn(ctx, &b.records[i], found)
		}
	}
}

func (b *batch) takeOn(ctx context.Context, r *record, found *store.Record) fate {
	leave, ok := b.poll.enterAlone()
	defer leave()
	if !ok || !b.mayStart() {
		return b.again()
	}
	lease, err := b.newLease(true)
	if err != nil {
		return b.unavailable(ctx, found.ID, err)
	}
	claim, err := b.claimAlone(ctx, found, lease)
	if err != nil {
		return b.unclaimed(ctx, found.ID, lease, err)
	}
	if claim.Finding == lifecycle.Finished && claim.Record.Token == lease.Token { // it died with its worker
		b.ended(ctx, &claim.Record, lifecycle.Outcome{})
	}
	if claim.Finding == lifecycle.Orphaned {
		return b.again() // it changed hands and was orphaned again
	}
	return b.follow(ctx, r, &claim)
}

// claimAlone claims a job that was put back after its worker had died, or takes it
// over from the dead.
func (b *batch) claimAlone(ctx context.Context, found *store.Record, lease store.Lease) (store.Claim, error) {
	if found.State == lifecycle.Queued {
		return b.config.Jobs.Claim(ctx, found.ID, lease)
	}
	return b.config.Jobs.TakeOver(ctx, *found, lease)
}
