package streamsource

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// changed gives a channel that closes at the next record; nil where nobody tells.
func (s *Source) changed() <-chan struct{} {
	if s.config.Changed == nil {
		return nil
	}
	return s.config.Changed()
}

// rest waits while there is nothing to read, which is no reason to stop a flight of the
// clock: by the machine's time, or until something changes.
func (s *Source) rest(ctx context.Context, d time.Duration, changed <-chan struct{}) error {
	if s.config.Clock == nil {
		return s.config.Sleep(ctx, d)
	}
	if changed == nil {
		return clock.Sleep(ctx, d)
	}
	s.rests(1)
	defer s.rests(-1)
	return either(ctx, changed, func(ctx context.Context) error { return clock.Sleep(ctx, discovery) })
}

func (s *Source) rests(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting += n
}

// Stir tells that a record was written, before Changed does: the clock keeps the
// machine's pace until a reader that rested reads.
func (s *Source) Stir() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resting > 0 && s.unread == nil {
		s.unread = s.config.Clock.Hold()
	}
}

// reading gives what ends the hold of Stir.
func (s *Source) reading() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	release = s.unread
	s.unread = nil
	if release == nil {
		return func() {}
	}
	return release
}

// window waits for more records, up to the end of the window.
func (s *Source) window(ctx context.Context, left time.Duration, changed <-chan struct{}) error {
	if changed == nil {
		return s.config.Sleep(ctx, min(s.config.PollInterval, left))
	}
	return either(ctx, changed, func(ctx context.Context) error { return s.config.Sleep(ctx, left) })
}

// either waits until a wait is over or something changes. The error is ctx's.
func either(ctx context.Context, changed <-chan struct{}, wait func(context.Context) error) error {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-changed:
			cancel()
		case <-both.Done():
		}
	}()
	if err := wait(both); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}
