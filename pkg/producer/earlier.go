package producer

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Earlier finds the job that the same request (job.WithID) made before, without
// making one: ok is false where there is none. ErrOtherRequest means that the id
// belongs to another request's job.
func (p *Producer) Earlier(ctx context.Context, task string, id job.ID, fingerprint string) (rec store.Record, ok bool, err error) {
	rec, err = p.jobs.Get(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Record{}, false, nil
	case err != nil:
		return store.Record{}, false, fmt.Errorf("producer: looking for an earlier %s: %w", task, err)
	case rec.Task != task || rec.Fingerprint != fingerprint:
		return store.Record{}, false, fmt.Errorf("%w: %s", ErrOtherRequest, id)
	}
	return rec, true, nil
}
