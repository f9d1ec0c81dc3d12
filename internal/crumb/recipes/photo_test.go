package recipes_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const (
	photo = "uploads/everyone/0123456789abcdefghjkmnpqrs"
	other = "uploads/everyone/zzzzzzzzzzzzzzzzzzzzzzzzzz"
)

func withPhoto(key, job string) recipes.Written {
	return recipes.Written{Content: soup(), PhotoKey: key, PhotoJob: job}
}

func photoOf(t *testing.T, w *publishtest.World, id string) recipes.Photo {
	t.Helper()
	v, err := w.Recipes.View(t.Context(), ada, id)
	if err != nil || v.Photo == nil {
		t.Fatalf("%+v, %v", v, err)
	}
	return *v.Photo
}

// A photo that nobody resizes yet is enqueued with the recipe.
func TestPhotoIsResizedWithTheRecipe(t *testing.T) {
	w := world(t)
	draft, err := w.Recipes.Draft(t.Context(), ada, withPhoto(photo, ""))
	if err != nil {
		t.Fatal(err)
	}
	resize := nightshifttest.EnqueuedOne(w.Kit, tasks.Resize)
	if resize.Args.Key != photo || string(resize.ID) != draft.PhotoJob {
		t.Errorf("enqueued is %+v, the recipe has job %s", resize, draft.PhotoJob)
	}
	if p := photoOf(t, w, draft.ID); p.State != "queued" || p.StatusURL != "/jobs/"+draft.PhotoJob {
		t.Errorf("it is %+v", p)
	}
	// An edit that keeps the photo makes no other job; one that takes it away none.
	kept, err := w.Recipes.Edit(t.Context(), ada, draft.ID, 1, withPhoto(photo, ""))
	if err != nil || kept.PhotoJob != draft.PhotoJob {
		t.Errorf("%+v, %v", kept, err)
	}
	bare, err := w.Recipes.Edit(t.Context(), ada, draft.ID, 2, withPhoto("", ""))
	if err != nil || bare.PhotoKey != "" || bare.PhotoJob != "" {
		t.Errorf("%+v, %v", bare, err)
	}
	nightshifttest.EnqueuedOne(w.Kit, tasks.Resize)
}

// Sizes are shown as they arrive, and for longer than the job is kept.
func TestPhotoOnItsWay(t *testing.T) {
	w := world(t)
	id, err := w.Kit.Producer.Enqueue(t.Context(), tasks.Resize.With(tasks.ResizePhoto{Key: photo}))
	if err != nil {
		t.Fatal(err)
	}
	draft, err := w.Recipes.Draft(t.Context(), ada, withPhoto(photo, string(id)))
	if err != nil {
		t.Fatal(err)
	}
	large := tasks.Sizes{Sizes: []tasks.Size{{Name: "large", URL: "/photos/1/large.jpg"}}}
	w.Kit.Serve(worker.HandleResult(tasks.Resize, func(ctx context.Context, j *job.Job[tasks.ResizePhoto]) (tasks.Sizes, error) {
		if err := worker.Progress(ctx, j, large); err != nil {
			return tasks.Sizes{}, err
		}
		if p := photoOf(t, w, draft.ID); p.State != "working" || len(p.Sizes) != 1 {
			t.Errorf("under way it is %+v", p)
		}
		return large, nil
	}))
	w.Kit.Drain(t.Context())
	if p := photoOf(t, w, draft.ID); p.State != "done" || len(p.Sizes) != 1 || p.Sizes[0] != large.Sizes[0] {
		t.Errorf("afterwards it is %+v", p)
	}
	upload, err := uploads.Parse(photo, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Table.Change().Put(photos.MadeKey(upload.ID), photos.Made(large), "", nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Kit.Advance(t.Context(), 100*24*time.Hour)
	if p := photoOf(t, w, draft.ID); p.State != "done" || len(p.Sizes) != 1 || p.StatusURL != "" {
		t.Errorf("months later it is %+v", p)
	}
}

// Who knows a job's id may cancel it: none but the author learns that of the photo's.
func TestOthersDoNotLearnThePhotosJob(t *testing.T) {
	w := world(t)
	draft, err := w.Recipes.Draft(t.Context(), ada, withPhoto(photo, ""))
	if err == nil {
		_, err = w.Recipes.Publish(t.Context(), ada, draft.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for reader, mine := range map[string]bool{ada: true, "eve": false, "": false} {
		v, err := w.Recipes.View(t.Context(), reader, draft.ID)
		if err != nil || v.Photo == nil || v.Photo.State != "queued" || (v.PhotoJob != "") != mine || (v.Photo.StatusURL != "") != mine {
			t.Errorf("%q sees job %q, %+v, %v", reader, v.PhotoJob, v.Photo, err)
		}
	}
}

type refusal struct{}

func (refusal) Error() string     { return "This picture is not allowed." }
func (refusal) ErrorCode() string { return "not_allowed" }

// A photo that failed says why; one whose job is long gone, that it is lost.
func TestPhotoThatFailed(t *testing.T) {
	w := world(t)
	draft, err := w.Recipes.Draft(t.Context(), ada, withPhoto(photo, ""))
	if err != nil {
		t.Fatal(err)
	}
	w.Kit.Serve(worker.HandleResult(tasks.Resize, func(context.Context, *job.Job[tasks.ResizePhoto]) (tasks.Sizes, error) {
		return tasks.Sizes{}, job.Fail(refusal{})
	}))
	w.Kit.Drain(t.Context())
	if p := photoOf(t, w, draft.ID); p.State != "failed" || p.Error == nil || p.Error.Code != "not_allowed" || p.Error.Message != (refusal{}).Error() {
		t.Errorf("it is %+v, %+v", p, p.Error)
	}
	w.Kit.Advance(t.Context(), 100*24*time.Hour)
	if p := photoOf(t, w, draft.ID); p.State != "failed" || p.Error == nil || p.Error.Code != "lost" {
		t.Errorf("months later it is %+v, %+v", p, p.Error)
	}
}

func TestPhotosThatCanNotBe(t *testing.T) {
	w := world(t)
	id, err := w.Kit.Producer.Enqueue(t.Context(), tasks.Resize.With(tasks.ResizePhoto{Key: photo}))
	if err != nil {
		t.Fatal(err)
	}
	nudge, err := w.Kit.Producer.Enqueue(t.Context(), tasks.NudgeDraft.With(tasks.DraftNudge{Author: ada, Recipe: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]recipes.Written{
		"no upload":           withPhoto("photos/1/large.jpg", ""),
		"a job alone":         withPhoto("", string(id)),
		"another photo's job": withPhoto(other, string(id)),
		"another task's job":  withPhoto(photo, string(nudge)),
		"no job at all":       withPhoto(photo, "x"),
		"an unknown job":      withPhoto(photo, "00000000000000000000000000"),
	} {
		var bad *recipes.BadContent
		if _, err := w.Recipes.Draft(t.Context(), ada, in); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type shut struct{}

func (shut) AdmitFor(context.Context, job.Policy) admission.Decision {
	return admission.Decision{RetryAfter: time.Minute}
}

// Where the queue of photos is full, the draft is refused and nothing is kept.
func TestFullQueueOfPhotos(t *testing.T) {
	w := world(t)
	w.Recipes.Photos = shut{}
	var full *gates.FullError
	if _, err := w.Recipes.Draft(t.Context(), ada, withPhoto(photo, "")); !errors.As(err, &full) || full.Decision.RetryAfter != time.Minute {
		t.Error(err)
	}
	if n := w.Rows("recipe#"); n != 0 {
		t.Errorf("%d rows", n)
	}
	drafted(t, w, soup())
}
