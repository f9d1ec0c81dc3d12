package worker

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// MaxProgress bounds what Progress saves, in bytes of JSON.
const MaxProgress = 4 << 10

// Progress saves how far the job has come, as JSON of at most MaxProgress bytes,
// where clients see it while the job runs and after. ctx is the handler's. It is a write to the
// table each time: call it every few seconds, not for every item.
//
// It is also how a handler in Lambda, where there is no heartbeat, learns that it
// may stop: ErrCancelled (the progress was saved all the same) and ErrLeaseLost
// end the handler's context as well. Any other error is the table's or that of a
// value that can't be kept; the run goes on.
func Progress[A any](ctx context.Context, j *job.Job[A], value any) error {
	r, err := runOf(ctx, j.ID)
	if err != nil {
		return err
	}
	data, err := payload.Encode(value)
	if err != nil {
		return fmt.Errorf("worker: encoding the progress of job %s: %w", j.ID, err)
	}
	if len(data) > MaxProgress {
		return fmt.Errorf("worker: the progress of job %s has %d bytes as JSON, and %d is the limit", j.ID, len(data), MaxProgress)
	}
	if err := r.report(ctx, data); err != nil {
		return fmt.Errorf("worker: saving the progress of job %s: %w", j.ID, err)
	}
	return nil
}
