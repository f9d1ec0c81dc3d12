package photo

import (
	"context"
	"fmt"
	"io"
)

// info is what a file declares about itself.
type info struct {
	width, height int // as stored, before the orientation is applied
	orientation   int // 1 to 8, as in EXIF
	profile       []byte
	memory        int64 // most bytes that decoding holds at once
	plainCMYK     bool  // a JPEG in CMYK that lacks Adobe's marker
	defect        error // why it cannot be decoded, although its headers are sound
}

// check refuses what would take too much memory or time to decode, and what
// is known to be unfit.
func (in info) check() error {
	w, h := in.width, in.height
	if w <= 0 || h <= 0 {
		return corrupt(fmt.Errorf("declares %d × %d pixels", w, h))
	}
	if w > MaxEdge || h > MaxEdge || int64(w)*int64(h) > MaxPixels {
		return bad(CodeTooLarge, fmt.Sprintf("the picture is too large: %d × %d pixels, where %d megapixels "+
			"and %d pixels an edge are the limit", w, h, MaxPixels/1_000_000, MaxEdge), nil)
	}
	if in.memory > MaxMemory {
		return bad(CodeTooLarge, fmt.Sprintf("the picture is too large to open: %d × %d pixels in a format "+
			"that takes much memory; please save it smaller, or as an ordinary JPEG", w, h), nil)
	}
	return in.defect
}

// A reader serves the source to a decoder and fails when the context ends: a
// decoder cannot be interrupted otherwise.
type reader struct {
	ctx context.Context
	src []byte
}

func newReader(ctx context.Context, src []byte) io.Reader { return &reader{ctx, src} }

// readAtMost is small because some eighty bytes of a hostile progressive JPEG
// make the decoder visit every pixel, meanwhile not looking at the context.
const readAtMost = 256

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.src) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.src[:min(len(r.src), readAtMost)])
	r.src = r.src[n:]
	return n, nil
}
