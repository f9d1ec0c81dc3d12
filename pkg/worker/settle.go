package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// finishTries is how often the end of a run is written before the lease is left
// to end by itself: the work is done, and worth more than the call. The driver
// repeats each try itself.
const finishTries = 3

// finishWaits lie between the tries.
var finishWaits = backoff.Policy{Base: 200 * time.Millisecond, Floor: 10 * time.Millisecond, Cap: time.Second}

// tableWaits are the waits of messages that could not be worked on because the
// table did not answer.
var tableWaits = backoff.Policy{Base: 20 * time.Second, Floor: 5 * time.Second, Cap: 20 * time.Second}

// settle writes how a run ended and says what that means for its message.
func (b *batch) settle(ctx context.Context, rec *store.Record, outcome lifecycle.Outcome) fate {
	ctx, done := b.lasting(ctx, rec.LeaseUntil)
	defer done()
	now, err := b.finishFitting(ctx, rec, outcome)
	if errors.Is(err, store.ErrTooLarge) {
		tooLarge := permanent("result_too_large", fmt.Errorf("arguments, result and error do not fit into the job's row together: %w", err))
		now, err = b.finish(ctx, rec, lifecycle.Outcome{To: lifecycle.Dead, Err: tooLarge})
	}
	switch {
	case errors.Is(err, store.ErrLeaseLost):
		b.config.Logger.WarnContext(ctx, "a run lost its lease: its outcome was dropped", "job", rec.ID, "task", rec.Task, "error", err.Error())
		return fate{}
	case err != nil:
		b.config.Logger.ErrorContext(ctx, "an outcome was not written: the job is taken over when its lease ends", "job", rec.ID, "task", rec.Task, "error", err.Error())
		return visibleAt(rec.LeaseUntil.Add(lifecycle.LeaseMargin))
	}
	b.ended(ctx, &now, outcome)
	return fateOf(&now)
}

// fateOf is what the message of a job is owed whose run has ended.
func fateOf(now *store.Record) fate {
	if now.State == lifecycle.Queued {
		return visibleAt(now.NotBefore)
	}
	return fate{acknowledged: true, ended: now}
}

func (b *batch) finish(ctx context.Context, rec *store.Record, outcome lifecycle.Outcome) (now store.Record, err error) {
	for try := 1; ; try++ {
		now, err = b.config.Jobs.Finish(ctx, *rec, outcome)
		if err == nil || errors.Is(err, store.ErrLeaseLost) || errors.Is(err, store.ErrTooLarge) || try == finishTries {
			return now, err
		}
		select {
		case <-ctx.Done():
			return now, err
		case <-time.After(finishWaits.After(try, b.config.Random)):
		}
	}
}

// lasting is a context for what is to be written however the handlers' context
// ended, as long as the lease may still be the run's. In Lambda that is the
// invocation's.
func (b *batch) lasting(ctx context.Context, lease time.Time) (context.Context, context.CancelFunc) {
	if b.poll == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), lease.Add(lifecycle.LeaseMargin).Sub(b.config.Now()))
}

// unclaimed gives up on a claim whose fate is unknown. Should it have been
// applied, the attempt is given back, for nobody ran the job, and in several tries:
// what is not given back looks like a death.
func (b *batch) unclaimed(ctx context.Context, id job.ID, lease store.Lease, cause error) fate {
	ctx, done := b.lasting(ctx, lease.Until)
	defer done()
	claimed := store.Record{ID: id, Row: lifecycle.Row{Token: lease.Token}}
	_, err := b.finish(ctx, &claimed, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true})
	if err != nil && !errors.Is(err, store.ErrLeaseLost) {
		cause = errors.Join(cause, err)
	}
	return b.unavailable(ctx, id, cause)
}

// unavailable puts a message off that could not be worked on.
func (b *batch) unavailable(ctx context.Context, id job.ID, cause error) fate {
	b.config.Logger.WarnContext(ctx, "a message was put off", "job", id, "error", cause.Error())
	return visibleAt(b.config.Now().Add(tableWaits.After(1, b.config.Random)))
}

// storable encodes what a handler gave; what can't be kept makes the job dead.
func storable(outcome lifecycle.Outcome, mostResult int) lifecycle.Outcome {
	var err error
	if outcome.Result, err = encode("result", outcome.Result, mostResult); err != nil {
		return lifecycle.Outcome{To: lifecycle.Dead, Err: err}
	}
	if outcome.Cursor, err = encode("cursor", outcome.Cursor, MaxResult); err != nil {
		return lifecycle.Outcome{To: lifecycle.Dead, Err: err}
	}
	return outcome
}

func encode(what string, value any, limit int) (any, error) {
	if value == nil {
		return nil, nil
	}
	data, err := payload.Encode(value)
	if err != nil {
		return nil, permanent("bad_"+what, err)
	}
	if len(data) > limit {
		return nil, permanent(what+"_too_large", fmt.Errorf("the %s has %d bytes as JSON, and %d is the limit: keep large data in S3 and its key in the %s", what, len(data), limit, what))
	}
	return json.RawMessage(data), nil
}

// logCommit writes the line of a run that its handler ended itself.
func (b *batch) logCommit(ctx context.Context, r *record, rec *store.Record, err error, took time.Duration) {
	outcome := lifecycle.Outcome{To: rec.State, Wait: rec.NotBefore.Sub(b.config.Now())}
	b.logRun(ctx, r, rec, outcome, took)
	if err != nil {
		b.config.Logger.WarnContext(ctx, "a handler failed after it had ended its run: nothing comes of that", "job", rec.ID, "task", rec.Task, "error", err.Error())
	}
}

// logRun writes the line of one run.
func (b *batch) logRun(ctx context.Context, r *record, rec *store.Record, outcome lifecycle.Outcome, took time.Duration) {
	level := slog.LevelDebug
	switch {
	case outcome.To == lifecycle.Dead:
		level = slog.LevelError
	case outcome.Err != nil && outcome.To != lifecycle.Cancelled:
		level = slog.LevelWarn
	}
	if !b.config.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("job", string(rec.ID)), slog.String("task", rec.Task), slog.Int("attempt", rec.Attempt),
		slog.String("trace", telemetry.TraceFrom(ctx).ID()), slog.String("outcome", string(outcome.To)), slog.Duration("duration", took),
		slog.String("message_id", r.MessageID), slog.String("receives", r.Receives),
	}
	if outcome.Err != nil {
		attrs = append(attrs, slog.String("code", job.ErrorCode(outcome.Err)), slog.String("error", outcome.Err.Error()))
	}
	if !outcome.To.Final() {
		attrs = append(attrs, slog.Duration("wait", outcome.Wait))
	}
	b.config.Logger.LogAttrs(ctx, level, "job", attrs...)
}
