// Package resizer handles Crumb's tasks photo.resize and photo.complete: it fetches an
// uploaded photograph, makes its four sizes, and puts them where the site serves them
// from. What is on the block list is refused. When the queue is long, it makes two of
// the sizes first, and the others later (job.Degrade).
//
// The keys of the results follow from the upload's alone, and so do their
// bytes: a job that runs twice writes the same four files again.
package resizer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// MaxBytes is the size of the largest upload that is resized.
const MaxBytes = 25 << 20

// A Resizer makes the sizes of photographs. It may be used concurrently, but a
// call holds up to photo.MaxMemory bytes and keeps a processor busy.
type Resizer struct {
	objects objects.GetPutter
	table   *rows.Table
	later   Enqueuer
}

// An Enqueuer takes jobs; *producer.Producer is one.
type Enqueuer interface {
	Enqueue(ctx context.Context, request job.Request, options ...job.Option) (job.ID, error)
}

// New makes a Resizer that works on these objects. The table has the block list,
// and keeps what was made; later takes what is to be made when the queue is short.
func New(objects objects.GetPutter, table *rows.Table, later Enqueuer) *Resizer {
	return &Resizer{objects: objects, table: table, later: later}
}

// Resize is the handler. The page that waits sees each size as soon as it is
// there; which sizes there are is kept, for longer than the job is, in the
// transaction that ends it. A photograph that can never work makes its job dead
// with a reason for the person who uploaded it; any other error is temporary.
func (r *Resizer) Resize(ctx context.Context, j *job.Job[tasks.ResizePhoto]) (tasks.Sizes, error) {
	upload, err := uploads.Parse(j.Args.Key, j.Client)
	if err != nil {
		return tasks.Sizes{}, job.Fail(err)
	}
	tell := func(sizes tasks.Sizes) error { return worker.Progress(ctx, j, sizes) }
	if j.Degraded {
		return r.resizeLess(ctx, j, upload, tell)
	}
	sizes, err := r.Make(ctx, upload, tell)
	if err != nil {
		return tasks.Sizes{}, err
	}
	made, err := r.table.Change().Put(photos.MadeKey(upload.ID), photos.Made(sizes), "", nil).Writes()
	if err != nil {
		return tasks.Sizes{}, err
	}
	return sizes, worker.CommitResult(ctx, j, sizes, made...)
}

// Make is the work without the job. tell is called with the sizes that are there,
// whenever there are more, but for the last time; nil tells nobody.
func (r *Resizer) Make(ctx context.Context, upload uploads.Upload, tell func(tasks.Sizes) error) (tasks.Sizes, error) {
	return r.make(ctx, upload, all, tell)
}

// make makes some of the sizes.
func (r *Resizer) make(ctx context.Context, upload uploads.Upload, some choice, tell func(tasks.Sizes) error) (tasks.Sizes, error) {
	data, contentType, err := uploads.Fetch(ctx, r.objects, upload, MaxBytes)
	var refusal *uploads.Refusal
	switch {
	case errors.As(err, &refusal):
		return tasks.Sizes{}, job.Fail(refusal)
	case err != nil:
		return tasks.Sizes{}, err
	}
	if err := r.allow(ctx, sha256.Sum256(data)); err != nil {
		return tasks.Sizes{}, err
	}
	out := newShelf(ctx, r.objects, upload.ID, some.count(), tell)
	_, err = photo.ResizeInSteps(ctx, data, contentType, photo.Steps{
		Decoded: func(pixels [sha256.Size]byte) error { return r.allow(ctx, pixels) },
		Wanted:  some,
		Made:    out.put,
	})
	sizes, putErr := out.all()
	var bad *photo.BadPhotoError
	switch {
	case errors.As(err, &bad):
		return tasks.Sizes{}, job.Fail(uploads.Refuse(string(bad.Code), bad.Message, bad))
	case job.IsVerdict(err):
		return tasks.Sizes{}, err
	case err != nil:
		return tasks.Sizes{}, fmt.Errorf("resizer: resizing %s: %w", upload.Key, err)
	}
	return sizes, putErr
}
