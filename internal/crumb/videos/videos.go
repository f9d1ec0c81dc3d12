// Package videos handles Crumb's task video.transcode: it fetches an uploaded film
// and makes a moving picture, a preview and a poster of it.
//
// It is a job of minutes, and nothing of it is lost when its process ends: each two
// seconds of the film are kept beside the upload when they are done, and go with it
// after a week. A run that finds them takes them. The keys of the results follow
// from the upload's alone, and so do their bytes: a job that runs twice writes the
// same files again.
package videos

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/clip"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// maxSegment bounds a kept segment, in bytes: twenty pictures without any
// compression fit.
const maxSegment = 4 << 20

// progressEvery is how often a job says how far it has come, at most.
const progressEvery = 2 * time.Second

// A Transcoder works on films. It may be used concurrently, but a call keeps a
// processor busy and holds up to a film of tasks.MostFilmBytes and clip.MaxMemory bytes.
type Transcoder struct {
	objects objects.GetPutter
	now     func() time.Time
}

// New makes a Transcoder that works on these objects; now is the clock.
func New(objects objects.GetPutter, now func() time.Time) *Transcoder {
	return &Transcoder{objects: objects, now: now}
}

// Transcode is the handler. A film that can never work makes its job dead with a
// reason for the person who uploaded it; any other error is temporary, and the end
// of the context is no failure: the next run goes on from there.
func (t *Transcoder) Transcode(ctx context.Context, j *job.Job[tasks.TranscodeVideo]) (tasks.Video, error) {
	upload, err := uploads.Parse(j.Args.Key, j.Client)
	if err != nil {
		return tasks.Video{}, job.Fail(err)
	}
	data, contentType, err := uploads.Fetch(ctx, t.objects, upload, tasks.MostFilmBytes)
	if err != nil {
		return tasks.Video{}, failed(err)
	}
	film, err := clip.Open(ctx, data, contentType)
	if err != nil {
		return tasks.Video{}, failed(err)
	}
	segments, err := t.segments(ctx, j, upload, film)
	if err != nil {
		return tasks.Video{}, failed(err)
	}
	return t.results(ctx, upload.ID, film, segments)
}

// segments makes the segments of the moving picture that no run before has made.
func (t *Transcoder) segments(ctx context.Context, j *job.Job[tasks.TranscodeVideo], upload uploads.Upload, film *clip.Clip) ([][]byte, error) {
	segments := make([][]byte, film.Segments())
	said, frames := t.now(), 0
	say := func() {
		if frames++; t.now().Sub(said) < progressEvery {
			return
		}
		said = t.now()
		// One that can't be saved is made good by the next. Where the job is to
		// stop, the context says so too.
		_ = worker.Progress(ctx, j, tasks.VideoProgress{Frames: frames, Of: film.Ticks(), Percent: 100 * frames / film.Ticks()})
	}
	for i := range segments {
		key := fmt.Sprintf("%s/segments/%03d", upload.Key, i)
		kept, _, err := t.objects.Get(ctx, key, maxSegment)
		switch {
		case err == nil:
			segments[i] = kept
			frames = min(film.Ticks(), (i+1)*film.Ticks()/len(segments))
			continue
		case !errors.Is(err, objects.ErrMissing):
			return nil, fmt.Errorf("videos: looking for %s: %w", key, err)
		}
		if segments[i], err = film.Segment(ctx, i, say); err != nil {
			return nil, err
		}
		if err := t.objects.Put(ctx, key, segments[i], "application/octet-stream", ""); err != nil {
			return nil, fmt.Errorf("videos: keeping %s: %w", key, err)
		}
	}
	return segments, nil
}

// failed gives the verdict of an error: for good where the film is to blame.
func failed(err error) error {
	var bad *clip.BadClipError
	if errors.As(err, &bad) {
		return job.Fail(uploads.Refuse(string(bad.Code), bad.Message, bad))
	}
	var refusal *uploads.Refusal
	if errors.As(err, &refusal) {
		return job.Fail(refusal)
	}
	return err
}
