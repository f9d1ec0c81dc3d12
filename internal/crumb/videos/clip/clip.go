// Package clip turns a short film into what a page can show: a moving picture of
// moderate size (an animated GIF at ten frames a second), a preview of a dozen
// moments, and a poster.
//
// Motion JPEG in AVI files and animated GIFs are read; sound is left out. Films in
// other codecs are refused with a [*BadClipError], whose message is written for the
// person who uploaded them: to read H.264 takes a decoder that is not written in
// Go. Nothing else than that or the context's error comes back.
//
// The moving picture is made in segments of two seconds that know nothing of one
// another, so that work can be kept: whoever has the first ten goes on with the
// eleventh. The same film gives the same bytes, in whatever order it is made.
//
// # Bounds
//
// Files come from strangers, so time and memory are bounded by what the file
// declares: [MaxFrames], [MaxPixels], [MaxDuration] and, for GIFs, whose pictures
// build upon one another, [MaxMemory]. Besides, and besides the source itself, a
// segment holds some 40 MiB. The context is looked at for every frame.
package clip

import (
	"context"
	"fmt"
	"image"
	"mime"
	"time"
)

// Limits of what is read.
const (
	// MaxPixels is the most pixels that a frame may have: Full HD, with the rows
	// to which JPEG rounds up.
	MaxPixels = 1920 * 1088
	// MaxEdge is the longest edge, in pixels.
	MaxEdge = 4096
	// MaxFrames is how many frames a film may have.
	MaxFrames = 120 * 60
	// MaxDuration is how long a film may be.
	MaxDuration = 2 * time.Minute
	// MaxMemory is how many bytes the pictures of a GIF may take.
	MaxMemory = 256 << 20
)

// What is made.
const (
	// Edge is the longer edge of the moving picture, PreviewEdge and PosterEdge
	// those of the others, in pixels. A smaller film keeps its own size.
	Edge        = 400
	PreviewEdge = 160
	PosterEdge  = 1080

	// tick is how long a frame of the moving picture is shown: GIFs reckon in
	// hundredths of a second.
	tick = 100 * time.Millisecond
	// perSegment is how many ticks a segment has.
	perSegment = 20
	// moments is how many pictures a preview has, each shown for half a second.
	moments     = 12
	momentTicks = 5
)

// A film is what can be read: frames, each shown for a time.
type film interface {
	// at is the number of the frame that is shown at a time.
	at(t time.Duration) int
	// frame decodes one frame: an opaque picture as large as the film.
	frame(ctx context.Context, i int) (image.Image, error)
}

// A Clip is a film that has been opened. It is for one goroutine.
type Clip struct {
	film film
	// Width and Height are the film's own, in pixels.
	Width, Height int
	// Duration is how long it lasts.
	Duration time.Duration
}

// A Picture is one encoded file.
type Picture struct {
	// Width and Height are in pixels.
	Width, Height int
	// Data is the encoded file.
	Data []byte
}

// Open reads what a film declares, and refuses what can't be worked on. src must
// not change while the clip is in use. declared is the media type that the uploader
// claimed; an empty one, or application/octet-stream, claims nothing.
func Open(ctx context.Context, src []byte, declared string) (c *Clip, err error) {
	defer rescue(ctx, &err)
	kind, err := identify(src)
	if err != nil {
		return nil, err
	}
	if err := kind.checkDeclared(declared); err != nil {
		return nil, err
	}
	return kind.open(ctx, src)
}

// Ticks is how many frames the moving picture has, at ten a second.
func (c *Clip) Ticks() int { return max(int((c.Duration+tick-1)/tick), 1) }

// Segments is how many segments the moving picture is made in.
func (c *Clip) Segments() int { return (c.Ticks() + perSegment - 1) / perSegment }

// newClip checks what a film declares.
func newClip(f film, width, height, frames int, duration time.Duration) (*Clip, error) {
	switch {
	case frames == 0 || width <= 0 || height <= 0:
		return nil, corrupt(fmt.Errorf("%d frames of %d × %d", frames, width, height))
	case width > MaxEdge || height > MaxEdge || width*height > MaxPixels:
		return nil, bad(CodeTooLarge, fmt.Sprintf("the film has %d × %d pixels, and Full HD (1920 × 1080) is the limit", width, height), nil)
	case duration > MaxDuration || frames > MaxFrames:
		return nil, bad(CodeTooLong, fmt.Sprintf("the film lasts %v and has %d frames; two minutes and %d frames are the limit",
			duration.Round(time.Second), frames, MaxFrames), nil)
	}
	return &Clip{film: f, Width: width, Height: height, Duration: duration}, nil
}

// rescue makes a panic of a decoder the file's fault. What fails after the context
// has ended is not.
func rescue(ctx context.Context, err *error) {
	if p := recover(); p != nil {
		*err = corrupt(fmt.Errorf("panic: %v", p))
	}
	if *err != nil && ctx.Err() != nil {
		*err = fmt.Errorf("clip: %w", context.Cause(ctx))
	}
}

// A kind is one kind of file that can be read.
type kind struct {
	name string
	// types are the media types it goes by.
	types []string
	open  func(ctx context.Context, src []byte) (*Clip, error)
}

func (k kind) checkDeclared(declared string) error {
	if declared == "" {
		return nil
	}
	claim, _, err := mime.ParseMediaType(declared)
	if err != nil {
		return bad(CodeTypeMismatch, "the type that the file was declared to have is not a media type", err)
	}
	for _, known := range append(k.types, "application/octet-stream", "binary/octet-stream") {
		if claim == known {
			return nil
		}
	}
	return bad(CodeTypeMismatch, fmt.Sprintf("the file says %.60s but holds %s", claim, k.name), nil)
}
