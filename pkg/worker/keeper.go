package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

// beatsPerHold is how often a hold is renewed within the time that it lasts: two
// beats may fail before anything is lost.
const beatsPerHold = 3

// beatWaits lie between a heartbeat that failed and the next try.
var beatWaits = backoff.Policy{Base: 500 * time.Millisecond, Floor: 100 * time.Millisecond, Cap: 5 * time.Second}

// noTime leaves a lease as it is.
var noTime time.Time

// A keeper is the heartbeat of one run: it extends the lease before it ends, and
// learns of a cancellation and of a lost lease, either of which ends the
// handler's context. The nil keeper keeps nothing.
type keeper struct {
	config *Config
	run    *run
	// hold is how long a heartbeat extends the lease, from its own time.
	hold time.Duration
	base context.Context

	mu sync.Mutex
	// cancel and done belong to the beating, where it goes on.
	cancel context.CancelFunc
	done   chan struct{}
	closed bool
}

// resume starts to beat.
func (k *keeper) resume() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(k.base)
	k.cancel, k.done = cancel, make(chan struct{})
	go k.beats(ctx, k.done)
}

// pause stops to beat; no write of the keeper's is under way afterwards.
func (k *keeper) pause() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancel == nil {
		return
	}
	k.cancel()
	<-k.done
	k.cancel = nil
}

// close stops to beat for good.
func (k *keeper) close() {
	if k == nil {
		return
	}
	k.pause()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
}

func (k *keeper) beats(ctx context.Context, done chan struct{}) {
	defer close(done)
	wait := k.hold / beatsPerHold
	for failures := 0; sleep(ctx, wait); {
		err := k.beat(ctx)
		left := k.run.record().LeaseUntil.Sub(k.config.Now())
		switch {
		case err == nil:
			failures, wait = 0, k.hold/beatsPerHold
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLeaseLost), left <= 0:
			k.config.Logger.WarnContext(ctx, "a lease was lost: its handler's context ends", "job", k.run.record().ID, "error", err.Error())
			k.run.lose()
			return
		default:
			failures++
			wait = min(beatWaits.After(failures, k.config.Random), left)
			k.config.Logger.WarnContext(ctx, "a heartbeat failed and is repeated", "job", k.run.record().ID, "lease_left", left, "error", err.Error())
		}
	}
}

// beat extends the lease once. It is given up when the lease has ended.
func (k *keeper) beat(ctx context.Context) error {
	rec, now := k.run.record(), k.config.Now()
	ctx, cancel := context.WithTimeout(ctx, rec.LeaseUntil.Sub(now))
	defer cancel()
	kept, err := k.run.jobs.Report(ctx, *rec, nil, now.Add(k.hold))
	if err != nil {
		return err
	}
	if k.run.saw(&kept) != nil {
		k.config.Logger.InfoContext(ctx, "a running job is to be cancelled: its handler's context ends", "job", rec.ID)
	}
	return nil
}

// sleep waits; it tells whether the context outlasted the wait.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
