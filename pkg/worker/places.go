package worker

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// releaseTime bounds the giving back of places. It is a part of Margin.
const releaseTime = time.Second

// releasePlaces gives back the places of the jobs that ended in this batch, where their
// queue is Hard: one transaction for all of them, after everything else, since what
// comes in must not hold up what is finished. What can't be given back now is met by
// the sweep's scan.
func (b *batch) releasePlaces(ctx context.Context) {
	var ended []store.Record
	for i := range b.fates {
		if rec := b.fates[i].ended; rec != nil && rec.Hard != nil {
			ended = append(ended, *rec)
		}
	}
	if len(ended) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	if _, err := b.config.Jobs.Release(ctx, ended...); err != nil {
		b.config.Logger.WarnContext(ctx, "the places of ended jobs were not given back; the sweep does it", "queue", b.queue.Queue.Name, "jobs", len(ended), "error", err.Error())
	}
}
