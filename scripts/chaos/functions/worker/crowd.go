package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// joined waits in the first run of a job of a crowd until all of them have begun. Who
// has begun is told by files, which outlive the process.
func (h *handlers) joined(ctx context.Context, j *jobOf) (first bool, err error) {
	if j.Args.Crowd == 0 {
		return false, nil
	}
	file, err := os.OpenFile(filepath.Join(h.begun, string(j.ID)), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return false, fmt.Errorf("noting that it has begun: %w", err)
	}
	for {
		begun, err := os.ReadDir(h.begun)
		if err != nil {
			return false, fmt.Errorf("looking for who has begun: %w", err)
		}
		if len(begun) >= j.Args.Crowd {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("%d of %d have begun: %w", len(begun), j.Args.Crowd, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
