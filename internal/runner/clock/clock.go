// Package clock has the waits of the local runner, apart so that tests can
// replace them.
package clock

import (
	"context"
	"time"
)

// Sleep waits for d, or returns the context's error as soon as that ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
