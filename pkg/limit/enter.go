package limit

import (
	"context"
	"errors"
	"time"
)

// Times of a slot that is held for a run.
const (
	usualWork   = time.Second     // how long a slot is held, before anybody knows
	releaseTime = 2 * time.Second // for giving a slot back
)

// Enter implements Limiter: it takes a token, and where there is none tells the place
// in the line of those who wait.
func (b *Bucket) Enter(ctx context.Context, key, _ string) (Permit, error) {
	d, err := b.Take(ctx, key)
	if err != nil || d.Granted {
		return Permit{Granted: d.Granted}, err
	}
	now := b.config.Now().UnixNano()
	l := line{
		driver: b.config.Driver, row: rowKey("rate", b.config.Name, key), step: b.every,
		longest: b.config.LongestWait, expires: b.expires(now), jitter: b.config.Jitter,
	}
	wait, err := l.join(ctx, now, d.RetryAfter)
	return Permit{Wait: wait}, err
}

// Enter implements Limiter: it takes a slot, and where there is none tells the place in
// the line of those who wait. They come back at the pace at which slots are given back,
// as far as that is known.
func (s *Slots) Enter(ctx context.Context, key, owner string) (Permit, error) {
	slot, full, err := s.Acquire(ctx, key, owner)
	switch {
	case err != nil:
		return Permit{}, err
	case slot == nil:
		usual := full.Usual
		if usual == 0 {
			usual = usualWork
		}
		step := max(usual/time.Duration(s.config.AtOnce), time.Millisecond)
		now := s.config.Now()
		l := line{
			driver: s.config.Driver, row: rowKey("slots", s.config.Name, key), step: int64(step),
			longest: s.config.LongestWait, expires: s.expires(now), jitter: s.config.Jitter,
		}
		wait, err := l.join(ctx, now.UnixNano(), step)
		return Permit{Wait: wait}, err
	}
	inner, cancel := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		slot.keep(inner, cancel)
	}()
	end := func(release func(context.Context) error) func() {
		return func() {
			cancel(nil)
			<-kept
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
			defer stop()
			if err := release(end); err != nil {
				s.config.Logger.WarnContext(ctx, "a slot stays taken until its lease ends", "limit", s.config.Name, "owner", owner, "error", err.Error())
			}
		}
	}
	return Permit{
		Granted: true, Context: inner, Leave: end(slot.Release),
		undo: end(func(ctx context.Context) error { return slot.release(ctx, slot.usual) }),
	}, nil
}

// keep renews a slot whose work may take longer than its lease, each third of it, and
// ends the work where the slot is lost: where another has it, or it could not be renewed
// for more than half of the lease, so that the work has time to notice.
func (s *Slot) keep(ctx context.Context, cancel context.CancelCauseFunc) {
	lease := s.slots.config.Lease
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= lease-closing {
		return
	}
	last := time.Now()
	ticker := time.NewTicker(lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		soon, stop := context.WithTimeout(ctx, lease/3)
		asked := time.Now()
		err := s.Renew(soon)
		stop()
		if err == nil {
			last = asked
			continue
		}
		if errors.Is(err, ErrLost) || time.Since(last) > lease/2 {
			cancel(errors.Join(ErrLost, err))
			return
		}
	}
}
