// Package tasks declares Crumb's background work: its queues, its tasks, and
// what they are given and give back.
//
// It holds no handler and imports no image library: the API, the infrastructure
// and the workers all read it.
package tasks

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Photos is where uploaded photos wait to be resized. Resizing keeps a processor
// busy, so an invocation has one photo in hand.
var Photos = job.Queue{
	Name:         "photos",
	PeakArrivals: job.PerSecond(20),
	ServiceTime:  3 * time.Second,
	LongestWait:  10 * time.Minute,
	// From half its limit on, photos are accepted as degraded: two sizes at once,
	// the other two when the queue is short again. Somebody is watching the page.
	Full: job.Degrade,
}

// ResizePhoto asks for the sizes of an uploaded photo.
type ResizePhoto struct {
	// Key is where the upload lies in the bucket: uploads/<client>/<id>.
	Key string `json:"key"`
}

// longestKey is the most bytes that a key in a bucket may have.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const longestKey = 1024

// Validate refuses, before there is a job, what can't name an upload at all.
// Whose upload it is, and whether it is there, the worker finds out.
func (r ResizePhoto) Validate() error {
	switch {
	case r.Key == "":
		return errors.New("key is missing: pass on the one that the upload was given")
	case len(r.Key) > longestKey:
		return fmt.Errorf("key has %d bytes: none has more than %d", len(r.Key), longestKey)
	}
	return nil
}

// Sizes is what a photo was made into.
type Sizes struct {
	Sizes []Size `json:"sizes"`
	// More tells that the other sizes are made later: the queue was long when the
	// photo came (job.Degrade).
	More bool `json:"more_to_come,omitempty"`
}

// A Size is one of the copies of a photo.
type Size struct {
	// Name is thumb, small, medium or large.
	Name string `json:"name"`
	// Key is where it lies in the bucket, URL the path that leads there.
	Key string `json:"key"`
	URL string `json:"url"`
	// Width and Height are in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	Bytes  int `json:"bytes"`
}

// Resize makes four sizes of a photo and strips what it says about the
// photographer. It is tried again for a few minutes only: somebody is watching
// the page.
var Resize = job.DefineResult[ResizePhoto, Sizes]("photo.resize", job.Policy{
	Queue:       Photos,
	MaxAttempts: 5,
	Timeout:     50 * time.Second,
	Backoff:     backoff.Policy{Base: 2 * time.Second, Cap: 2 * time.Minute},
	Public:      true,
})

// CompletePhoto makes the sizes of a photo that a degraded Resize left out. It is
// enqueued with job.Spilled, so that it waits until the queue is short, and with
// job.Unique of the photo.
var CompletePhoto = job.DefineResult[ResizePhoto, Sizes]("photo.complete", job.Policy{
	Queue:       Photos,
	MaxAttempts: 8,
	Timeout:     50 * time.Second,
	Backoff:     backoff.Policy{Base: 10 * time.Second, Cap: 10 * time.Minute},
})

// Queues lists Crumb's queues.
func Queues() []job.Queue {
	return []job.Queue{
		Photos,
		Videos,
		Trending,
		UrgentMail,
		Newsletter,
		Search,
		Feeds,
		Notices,
		Moderation,
		Reminders,
		Exports,
		PDFs,
		Imports,
	}
}

// Defined lists Crumb's tasks.
func Defined() []job.Defined {
	return append([]job.Defined{
		Resize,
		CompletePhoto,
		Transcode,
		RecountTrending,
		SendUrgent,
		SendReset,
		BeginIssue,
		FanOut,
		SendCopy,
		Remind,
		NudgeDraft,
		Export,
		Print,
		SplitImport,
		ImportRecipe,
		FinishImport,
	}, hearings()...)
}

// Public lists the tasks that anyone may enqueue over HTTP.
func Public() []job.Defined {
	var public []job.Defined
	for _, task := range Defined() {
		if task.Definition().Policy.Public {
			public = append(public, task)
		}
	}
	return public
}
