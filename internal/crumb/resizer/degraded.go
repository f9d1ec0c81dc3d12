package resizer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A choice says which sizes are made.
type choice func(photo.Size) bool

func all(photo.Size) bool { return true }

// first are the sizes that the site can't do without: lists show the small one, and
// recipes and their PDFs the medium one.
func first(s photo.Size) bool { return s.Name == "small" || s.Name == "medium" }

// rest are the others.
func rest(s photo.Size) bool { return !first(s) }

func (c choice) count() (n int) {
	for _, s := range photo.Sizes() {
		if c(s) {
			n++
		}
	}
	return n
}

// resizeLess makes two sizes of a degraded job's photo and has the others made later.
// They are asked for before the job ends, so that no crash forgets them; and where even
// those have no room, they are made at once.
func (r *Resizer) resizeLess(ctx context.Context, j *job.Job[tasks.ResizePhoto], upload uploads.Upload, tell func(tasks.Sizes) error) (tasks.Sizes, error) {
	sizes, err := r.make(ctx, upload, first, tell)
	if err != nil {
		return tasks.Sizes{}, err
	}
	_, err = r.later.Enqueue(ctx, tasks.CompletePhoto.With(j.Args),
		job.Spilled(), job.Unique(upload.ID), job.ByClient(j.Client), job.WithTrace(j.Trace))
	switch {
	case errors.Is(err, producer.ErrFull):
		others, err := r.make(ctx, upload, rest, nil)
		if err != nil {
			return tasks.Sizes{}, err
		}
		sizes = merged(sizes, others)
	case err != nil:
		return tasks.Sizes{}, fmt.Errorf("resizer: enqueueing the other sizes of %s: %w", upload.Key, err)
	default:
		sizes.More = true
	}
	// The row, unless there is one: the others may be made already.
	made, err := r.table.Change().Put(photos.MadeKey(upload.ID), photos.Made(sizes), rows.Absent, nil).Writes()
	if err != nil {
		return tasks.Sizes{}, err
	}
	err = worker.CommitResult(ctx, j, sizes, made...)
	if errors.Is(err, store.ErrCondition) {
		err = worker.CommitResult(ctx, j, sizes)
	}
	return sizes, err
}

// Complete is the handler of photo.complete: it makes the sizes that a degraded job
// left out. Those that are there have the same bytes as if all had been made at once.
func (r *Resizer) Complete(ctx context.Context, j *job.Job[tasks.ResizePhoto]) (tasks.Sizes, error) {
	upload, err := uploads.Parse(j.Args.Key, j.Client)
	if err != nil {
		return tasks.Sizes{}, job.Fail(err)
	}
	before, there, err := rows.Get[photos.Made](ctx, r.table, photos.MadeKey(upload.ID))
	if err != nil {
		return tasks.Sizes{}, fmt.Errorf("resizer: reading the sizes of %s: %w", upload.Key, err)
	}
	some := choice(rest)
	if !there { // the degraded job has not ended yet
		some = all
	}
	sizes, err := r.make(ctx, upload, some, nil)
	if err != nil {
		return tasks.Sizes{}, err
	}
	sizes = merged(tasks.Sizes(before), sizes)
	made, err := r.table.Change().Put(photos.MadeKey(upload.ID), photos.Made(sizes), "", nil).Writes()
	if err != nil {
		return tasks.Sizes{}, err
	}
	return sizes, worker.CommitResult(ctx, j, sizes, made...)
}

// merged gives the sizes of both, each once, the smallest first.
func merged(some, others tasks.Sizes) tasks.Sizes {
	sizes := slices.Concat(some.Sizes, others.Sizes)
	slices.SortStableFunc(sizes, func(a, b tasks.Size) int { return cmp.Compare(place(a.Name), place(b.Name)) })
	return tasks.Sizes{Sizes: slices.CompactFunc(sizes, func(a, b tasks.Size) bool { return a.Name == b.Name })}
}
