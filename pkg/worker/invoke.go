package worker

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
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
	b.runOrphans(ctx)
	b.settleOverruns(ctx)
	b.hideFailed(ctx)
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
	case lifecycle.Orphaned:
		return fate{orphan: &claim.Record}
	case lifecycle.Missing, lifecycle.Finished: // nothing is left to do
		return acknowledged
	default: // contended: it waits again, and this may be its only message
		return b.again()
	}
}

// runOrphans takes over, one at a time, the jobs whose workers died: now that
// the rest of the batch has ended, each runs alone.
func (b *batch) runOrphans(ctx context.Context) {
	for i := range b.fates {
		found := b.fates[i].orphan
		if found == nil {
			continue
		}
		b.fates[i] = b.takeOver(ctx, &b.records[i], found)
	}
}

func (b *batch) takeOver(ctx context.Context, r *record, found *store.Record) fate {
	if !b.mayStart() {
		return b.again()
	}
	lease, err := b.newLease(true)
	if err != nil {
		return b.unavailable(ctx, found.ID, err)
	}
	claim, err := b.config.Jobs.TakeOver(ctx, *found, lease)
	if err != nil {
		return b.unclaimed(ctx, found.ID, lease, err)
	}
	if claim.Finding == lifecycle.Orphaned {
		return b.again() // it changed hands and was orphaned again
	}
	return b.follow(ctx, r, &claim)
}
