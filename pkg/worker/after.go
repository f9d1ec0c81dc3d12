package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// errNoBatch is asked of a job that follows no batch.
var errNoBatch = errors.New("worker: the job does not follow a batch")

// Batch tells how the members of the batch ended that j follows. ctx is the
// handler's. It is one read.
func Batch[A any](ctx context.Context, j *job.Job[A]) (store.Batch, error) {
	r, err := runOf(ctx, j.ID)
	if err != nil {
		return store.Batch{}, err
	}
	if j.Follows == nil || j.Follows.Batch == "" {
		return store.Batch{}, errNoBatch
	}
	b, err := r.jobs.Batch(ctx, j.Follows.Batch)
	if err != nil {
		return b, fmt.Errorf("worker: the batch before job %s: %w", j.ID, err)
	}
	return b, nil
}
