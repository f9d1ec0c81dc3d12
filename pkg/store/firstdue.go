package store

import (
	"context"
	"time"
)

// FirstDue gives the first of the rows that are scheduled for a minute, in one shard, up
// to and including until: so many at most, jobs and others. See Due.
func (j *Jobs) FirstDue(ctx context.Context, minute time.Time, shard int, until time.Time, most int) ([]DueJob, error) {
	due, _, err := j.dueIn(ctx, slot(minute, shard), until, most, nil)
	return due, err
}
