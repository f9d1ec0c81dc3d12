package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Videos is where uploaded films wait. One takes two minutes on average, and may
// take longer than a function lives: processes of their own poll the queue.
var Videos = job.Queue{
	Name:         "videos",
	PeakArrivals: job.PerMinute(0.5),
	ServiceTime:  2 * time.Minute,
	LongestWait:  30 * time.Minute,
	Polled:       true,
	// One film too many is two minutes more for all behind it, and there are
	// few places: their number is kept to exactly. So small a load does not feel
	// what that costs.
	Hard: true,
}

// MostFilmBytes is the size of the largest film that is taken: 64 MiB.
const MostFilmBytes = 64 << 20

// FilmTypes are the media types of films that are taken: Motion JPEG in AVI files, by
// the registered name and those that browsers use. Animated GIFs are taken as images.
// https://www.iana.org/assignments/media-types/video/vnd.avi
func FilmTypes() []string {
	return []string{"video/vnd.avi", "video/x-msvideo", "video/avi", "video/msvideo"}
}

// TranscodeVideo asks for what the site shows of an uploaded film.
type TranscodeVideo struct {
	// Key is where the upload lies in the bucket: uploads/<client>/<id>.
	Key string `json:"key"`
}

// Validate refuses, before there is a job, what can't name an upload at all.
func (v TranscodeVideo) Validate() error { return ResizePhoto(v).Validate() }

// A Video is what a film was made into.
type Video struct {
	// Seconds is how long the film lasts.
	Seconds float64 `json:"seconds"`
	// Clip is the film as a moving picture without sound, Preview a dozen of its
	// moments, Poster one of them.
	Clip    Size `json:"clip"`
	Preview Size `json:"preview"`
	Poster  Size `json:"poster"`
}

// VideoProgress is how far a film's job has come.
type VideoProgress struct {
	// Frames is how many are done, of Of.
	Frames int `json:"frames"`
	Of     int `json:"of"`
	// Percent is the same in hundredths.
	Percent int `json:"percent"`
}

// Transcode makes a moving picture, a preview and a poster of a film.
var Transcode = job.DefineResult[TranscodeVideo, Video]("video.transcode", job.Policy{
	Queue:       Videos,
	MaxAttempts: 5,
	Timeout:     20 * time.Minute,
	Backoff:     backoff.Policy{Base: 5 * time.Second, Cap: 5 * time.Minute},
	Public:      true,
})
