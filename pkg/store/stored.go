package store

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Stored reads a job's row, consistently, as long as it is there: one whose time to
// live is over as well, until DynamoDB has deleted it. It is for whoever must not be
// quicker than everybody else in taking a job for gone. ErrNotFound means that
// there is no such row any more.
func (j *Jobs) Stored(ctx context.Context, id job.ID) (Record, error) {
	item, err := j.driver.Get(ctx, KeyOf(id))
	if err != nil {
		return Record{}, fmt.Errorf("store: reading job %s: %w", id, err)
	}
	if item == nil {
		return Record{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return Decode(item)
}
