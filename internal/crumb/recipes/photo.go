package recipes

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// attach gives a recipe the photo that was sent with it. A photo that nobody resizes
// yet is enqueued in the transaction that names it.
func (s *Recipes) attach(ctx context.Context, recipe *Recipe, in Written) ([]outbox.Action, error) {
	if in.PhotoKey == recipe.PhotoKey && (in.PhotoJob == "" || in.PhotoJob == recipe.PhotoJob) {
		return nil, nil
	}
	recipe.PhotoKey, recipe.PhotoJob = in.PhotoKey, in.PhotoJob
	if in.PhotoKey == "" {
		if in.PhotoJob != "" {
			return nil, bad("photo_job goes with the photo_key of its upload")
		}
		return nil, nil
	}
	if _, err := uploads.Parse(in.PhotoKey, ""); err != nil {
		return nil, bad("photo_key is not that of an upload: pass on the one that the upload was given")
	}
	if in.PhotoJob != "" {
		return nil, s.checkPhotoJob(ctx, in)
	}
	return s.resize(ctx, recipe)
}

// resize enqueues the sizes of a recipe's photo, if the queue has room.
func (s *Recipes) resize(ctx context.Context, recipe *Recipe) ([]outbox.Action, error) {
	var options []job.Option
	if s.Photos != nil {
		admitted, err := gates.Admit(ctx, s.Photos, tasks.Resize)
		if err != nil {
			return nil, err
		}
		options = admitted.Options()
	}
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	recipe.PhotoJob = string(id)
	request := tasks.Resize.With(tasks.ResizePhoto{Key: recipe.PhotoKey})
	return []outbox.Action{outbox.Enqueue(request, append(options, job.WithID(id, recipe.ID))...)}, nil
}

// checkPhotoJob holds the job that an author names to being that of the photo.
func (s *Recipes) checkPhotoJob(ctx context.Context, in Written) error {
	wrong := bad("photo_job is not the job that resizes this photo")
	id, err := job.ParseID(in.PhotoJob)
	if err != nil {
		return wrong
	}
	found, err := s.Jobs.Get(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return wrong
	}
	if err != nil {
		return fmt.Errorf("recipes: reading the job of a photo: %w", err)
	}
	args, err := payload.Decode[tasks.ResizePhoto](found.Args)
	if err != nil || found.Task != tasks.Resize.Definition().Name || args.Key != in.PhotoKey {
		return wrong
	}
	return nil
}

// A Photo is how far a recipe's photo is.
type Photo struct {
	// State is queued, working, done or failed.
	State string `json:"state"`
	// StatusURL tells more, and sooner, while it is not done.
	StatusURL string `json:"status_url,omitempty"`
	// Sizes are those that are there; More tells that others are made later.
	Sizes []tasks.Size `json:"sizes,omitempty"`
	More  bool         `json:"more_to_come,omitempty"`
	// Error says why it failed.
	Error *store.JobError `json:"error,omitempty"`
}

// photoOf tells how far a recipe's photo is: from what is kept of it for good, or
// from its job while that is under way. nil: it has none.
func (s *Recipes) photoOf(ctx context.Context, r Recipe) (*Photo, error) {
	if r.PhotoKey == "" {
		return nil, nil
	}
	upload, err := uploads.Parse(r.PhotoKey, "")
	if err != nil {
		return nil, fmt.Errorf("recipes: the photo of %s: %w", r.ID, err)
	}
	made, ok, err := rows.Get[photos.Made](ctx, s.Table, photos.MadeKey(upload.ID))
	if err != nil {
		return nil, fmt.Errorf("recipes: reading the photo of %s: %w", r.ID, err)
	}
	if ok {
		return &Photo{State: "done", Sizes: made.Sizes, More: made.More}, nil
	}
	found, err := s.Jobs.Get(ctx, job.ID(r.PhotoJob))
	if gone(err) {
		return &Photo{State: "failed", Error: &store.JobError{Code: "lost", Message: "The photo is not there any more. Please upload it again."}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recipes: reading the photo's job of %s: %w", r.ID, err)
	}
	return photoIn(found)
}

// photoIn reads a photo's state off its job.
func photoIn(found store.Record) (*Photo, error) {
	shown := httpapi.Show(found)
	p := &Photo{State: "queued", StatusURL: shown.StatusURL}
	told := shown.Progress
	switch shown.State {
	case lifecycle.Running:
		p.State = "working"
	case lifecycle.Done:
		p.State, told = "done", shown.Result
	case lifecycle.Dead, lifecycle.Cancelled:
		p.State, p.Error = "failed", shown.Error
	}
	if len(told) == 0 {
		return p, nil
	}
	sizes, err := payload.Decode[tasks.Sizes](told)
	if err != nil {
		return nil, fmt.Errorf("recipes: reading what job %s made: %w", found.ID, err)
	}
	p.Sizes, p.More = sizes.Sizes, sizes.More
	return p, nil
}

// gone tells that a job has ended, or is known no more.
func gone(err error) bool {
	return errors.Is(err, producer.ErrFinished) || errors.Is(err, producer.ErrNotFound)
}
