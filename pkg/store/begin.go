package store

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Begin claims a job that has no row yet, since a topic's message asks for it: the
// row is made running, in the caller's hands. Where there is a row, the message came
// before, and Begin is Claim. n's id must follow from the event and the task, so that
// every delivery of the message means the same job.
func (j *Jobs) Begin(ctx context.Context, n NewJob, lease Lease) (Claim, error) {
	now := j.now()
	rec := newRecord(n, now)
	rec.State, rec.N, rec.Publication = lifecycle.Running, 0, nil
	rec.Token, rec.LeaseUntil, rec.Alone, rec.Attempt, rec.Started = lease.Token, lease.Until, lease.Alone, 1, rec.Created
	w := createWrite(rec, now)
	w.Item["token"], w.Item["lease_until_ms"], w.Item["alone"] = text(rec.Token), millis(rec.LeaseUntil), boolean(rec.Alone)
	w.Item["started_ms"] = millis(rec.Started)
	old, lost, err := j.write(ctx, "beginning", n.ID, w)
	switch {
	case err != nil:
		return Claim{}, err
	case !lost:
		rec.key = KeyOf(rec.ID)
		return Claim{Granted: true, Finding: lifecycle.Mine, Record: rec}, nil
	case old.State == lifecycle.Queued:
		return j.Claim(ctx, n.ID, lease)
	}
	return claimed(old, lost, lease, now), nil
}
