package deadletter

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Standing is what a letter means to its job as the job is now.
type Standing string

// The standings.
const (
	// Current: the job is dead, and this letter tells of that death.
	Current Standing = "current"
	// Stale: the job was redriven since, or died again later: the letter means
	// nothing any more.
	Stale Standing = "stale"
	// Gone: there is no such job any more. Rows outlive their letters, so that
	// somebody deleted it.
	Gone Standing = "gone"
)

// StandingOf tells what a letter means to its job. A letter that is older than
// its row still counts where it tells of the same death: the sweep may have asked
// for a second one.
func StandingOf(m queue.Message, rec store.Record) Standing {
	switch {
	case rec.State != lifecycle.Dead:
		return Stale
	case m.N >= rec.N:
		return Current
	case m.Letter != nil && !m.Letter.DiedAt.IsZero() && m.Letter.DiedAt.Equal(rec.Finished):
		return Current
	}
	return Stale
}

// raceTries bounds how often a row is read anew that changes in between.
const raceTries = 5

// ErrContended is wrapped where a job changed each time between being read and
// written.
var ErrContended = errors.New("deadletter: the job changes all the time")

// Redrive lets the job of a letter start anew and tells what the letter meant to
// it: Current where the job was redriven (by this call or, at the same moment, by
// another), Stale and Gone where there was nothing to do. A letter can be
// redriven once: after that it is Stale, whether or not it was deleted.
//
// Where another job has the unique key of this one, the error is
// store.ErrDuplicate and names the holder; the job stays dead.
func Redrive(ctx context.Context, jobs *store.Jobs, m queue.Message) (Standing, error) {
	for range raceTries {
		rec, standing, err := look(ctx, jobs, m)
		if err != nil || standing != Current {
			return standing, err
		}
		done, err := redriveRow(ctx, jobs, rec)
		if err != nil || done {
			return Current, err
		}
	}
	return Current, fmt.Errorf("%w: %s", ErrContended, m.ID)
}

// look reads the job of a letter and judges it.
func look(ctx context.Context, jobs *store.Jobs, m queue.Message) (store.Record, Standing, error) {
	rec, err := jobs.Get(ctx, m.ID)
	if errors.Is(err, store.ErrNotFound) {
		return rec, Gone, nil
	}
	if err != nil {
		return rec, "", err
	}
	return rec, StandingOf(m, rec), nil
}

// redriveRow redrives a job as it was read. False means that it changed since, and
// not into what a redrive makes of it.
func redriveRow(ctx context.Context, jobs *store.Jobs, found store.Record) (bool, error) {
	redriven, err := jobs.Redrive(ctx, found)
	if err != nil || redriven {
		return redriven, err
	}
	// An answer that was lost looks like a race that was lost. A job that waits
	// under the very next n was redriven by somebody: only a redrive leads there.
	now, err := jobs.Get(ctx, found.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && now.State == lifecycle.Queued && now.N == found.N+1, err
}

// RedriveJob lets a dead job start anew that has no letter any more: rows outlive
// letters. Its letter, should there be one yet, is Stale afterwards. The standing
// is Stale where the job is not dead.
func RedriveJob(ctx context.Context, jobs *store.Jobs, id job.ID) (Standing, error) {
	for range raceTries {
		rec, err := jobs.Get(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return Gone, nil
		case err != nil:
			return "", err
		case rec.State != lifecycle.Dead:
			return Stale, nil
		}
		done, err := redriveRow(ctx, jobs, rec)
		if err != nil || done {
			return Current, err
		}
	}
	return Current, fmt.Errorf("%w: %s", ErrContended, id)
}
