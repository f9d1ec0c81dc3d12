package localaws

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/localaws/s3"
	"github.com/nightshift-go/nightshift/internal/localaws/scheduler"
)

// openS3 opens S3, whose buckets notify queues of this endpoint, and functions where
// there are any.
func (s *Server) openS3(dir string) (err error) {
	config := s3.Config{
		Dir: dir, Now: s.cfg.Now, Signed: s.cfg.Clock.Then, Region: s.cfg.Region, Secret: s.cfg.Secret,
		Send: func(ctx context.Context, queueARN, body string) error {
			return noTarget(s.send(ctx, queueARN, body, "", nil))
		},
		Hold: s.cfg.Clock.Hold, Log: func(message string) { s.cfg.Logger.Warn(message) },
	}
	if s.cfg.Invoke != nil {
		config.Invoke = func(ctx context.Context, functionARN string, payload []byte, concluded func()) error {
			return noTarget(s.cfg.Invoke(ctx, functionARN, payload, concluded))
		}
	}
	if s.s3, err = s3.Open(config); err != nil || s.cfg.HoldSchedules {
		return err
	}
	s.s3.Notify()
	return nil
}

// noTarget says in S3's words that a target is not there.
func noTarget(err error) error {
	if errors.Is(err, scheduler.ErrNoTarget) {
		return fmt.Errorf("%w: %w", s3.ErrNoTarget, err)
	}
	return err
}
