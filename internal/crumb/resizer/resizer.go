// Package resizer handles Crumb's task photo.resize: it fetches an uploaded
// photograph, makes its four sizes, and puts them where the site serves them
// from.
//
// The keys of the results follow from the upload's alone, and so do their
// bytes: a job that runs twice writes the same four files again.
package resizer

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// MaxBytes is the size of the largest upload that is resized.
const MaxBytes = 25 << 20

// cacheControl lets browsers and caches keep a result for good: what lies under
// its key never changes.
const cacheControl = "public, max-age=31536000, immutable"

// Objects is the bucket, as far as resizing needs it; *objects.Objects is one.
type Objects interface {
	// Get reads an object of at most limit bytes and gives its content type.
	// It fails with objects.ErrMissing or objects.ErrTooLarge where that is the reason.
	Get(ctx context.Context, key string, limit int64) (data []byte, contentType string, err error)
	// Put writes an object.
	Put(ctx context.Context, key string, data []byte, contentType, cacheControl string) error
}

// A Resizer makes the sizes of photographs. It may be used concurrently, but a
// call holds up to photo.MaxMemory bytes and keeps a processor busy.
type Resizer struct{ objects Objects }

// New makes a Resizer that works on these objects.
func New(objects Objects) *Resizer { return &Resizer{objects: objects} }

// Resize is the handler. A photograph that can never work makes its job dead
// with a reason for the person who uploaded it; any other error is temporary.
func (r *Resizer) Resize(ctx context.Context, j *job.Job[tasks.ResizePhoto]) (tasks.Sizes, error) {
	upload, err := parseUpload(j.Args.Key)
	if err != nil {
		return tasks.Sizes{}, job.Fail(err)
	}
	if j.Client != "" && upload.client != j.Client {
		return tasks.Sizes{}, job.Fail(errNotYours)
	}
	data, contentType, err := r.objects.Get(ctx, j.Args.Key, MaxBytes)
	switch {
	case errors.Is(err, objects.ErrMissing):
		return tasks.Sizes{}, job.Fail(errMissing.because(err))
	case errors.Is(err, objects.ErrTooLarge):
		return tasks.Sizes{}, job.Fail(errTooLarge.because(err))
	case err != nil:
		return tasks.Sizes{}, fmt.Errorf("resizer: fetching %s: %w", j.Args.Key, err)
	}
	result, err := photo.Resize(ctx, data, contentType)
	var bad *photo.BadPhotoError
	switch {
	case errors.As(err, &bad):
		return tasks.Sizes{}, job.Fail(refuse(bad))
	case err != nil:
		return tasks.Sizes{}, fmt.Errorf("resizer: resizing %s: %w", j.Args.Key, err)
	}
	return r.put(ctx, upload.id, result)
}

// put writes the four pictures side by side.
func (r *Resizer) put(ctx context.Context, id string, result photo.Result) (tasks.Sizes, error) {
	sizes := make([]tasks.Size, len(result.Images))
	puts, ctx := errgroup.WithContext(ctx)
	for i, image := range result.Images {
		key := ResultKey(id, image.Name+"."+result.Ext)
		sizes[i] = tasks.Size{
			Name: image.Name, Key: key, URL: "/" + key,
			Width: image.Width, Height: image.Height, Bytes: len(image.Data),
		}
		puts.Go(func() error {
			if err := r.objects.Put(ctx, key, image.Data, result.ContentType, cacheControl); err != nil {
				return fmt.Errorf("resizer: writing %s: %w", key, err)
			}
			return nil
		})
	}
	if err := puts.Wait(); err != nil {
		return tasks.Sizes{}, err
	}
	return tasks.Sizes{Sizes: sizes}, nil
}
