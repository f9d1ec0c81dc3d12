// Package photo turns the photograph that a person uploaded into the four
// pictures that the site shows: bytes in, four encoded pictures out.
//
// JPEG (baseline, progressive, grey, CMYK), PNG, GIF (its first frame) and WebP
// are read. The EXIF orientation is applied, every kind of metadata is left
// behind (EXIF and its GPS position above all), and an ICC colour profile is
// carried over, because without it the colours would change. Opaque pictures
// become JPEG, those with transparency PNG.
//
// A photograph that can never work is refused with a [*BadPhotoError], whose
// message is written for the person who uploaded it. Nothing else than that, the
// context's error, or what the caller's own [Steps] return comes back.
//
// # Bounds
//
// Files come from strangers, so time and memory are bounded by what the file
// declares, before any of its pixels is decoded: [MaxPixels], [MaxEdge] and
// [MaxMemory]. Decoded pixels take 1.5 bytes a pixel for an ordinary JPEG, 7.5
// for a progressive one, 4 for a PNG (8 with 16 bits a channel), 5 for a GIF.
// On top of MaxMemory come the source itself and at most 160 MiB for resampling
// and encoding, whatever the size of the source. Once the context has ended,
// work stops within milliseconds for an ordinary photograph, and within some
// two seconds for the worst file allowed.
package photo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
)

// Limits of what is decoded. What is larger is refused with CodeTooLarge.
const (
	// MaxPixels is the most pixels a photograph may have.
	MaxPixels = 100_000_000
	// MaxEdge is the longest edge a photograph may have, in pixels.
	MaxEdge = 30_000
	// MaxMemory is how many bytes its decoder may hold at once.
	MaxMemory = 512 << 20
)

// A Size is one of the pictures made from each photograph.
type Size struct {
	// Name says which: "thumb", "small", "medium" or "large".
	Name string
	// Edge is the length of the longer edge in pixels. A photograph that is
	// smaller keeps its own size.
	Edge int
}

// Sizes returns the pictures that Resize makes, the smallest first.
func Sizes() []Size {
	return []Size{{"thumb", 160}, {"small", 480}, {"medium", 1080}, {"large", 2048}}
}

// An Image is one encoded picture.
type Image struct {
	Size
	// Width and Height are its real dimensions in pixels, upright.
	Width, Height int
	// Data is the encoded file.
	Data []byte
}

// A Result is what Resize made of one photograph.
type Result struct {
	// ContentType is "image/jpeg", or "image/png" for a photograph with
	// transparency. All pictures share it.
	ContentType string
	// Ext is the file name's ending that goes with it, without a dot.
	Ext string
	// Images holds one picture for each of Sizes, in that order.
	Images []Image
}

// Steps are told of the work while it is done. An error that one returns ends it, and
// is what ResizeInSteps returns. A nil step is not told.
type Steps struct {
	// Decoded is given the SHA-256 of the pixels, before anything is made of them.
	// It is the same for files that differ in their metadata alone.
	Decoded func(pixels [sha256.Size]byte) error
	// Wanted tells whether a picture is to be made; a nil one wants all of them. The
	// others' places in the Result are empty. Those that are made have the same
	// bytes, whichever else there are.
	Wanted func(Size) bool
	// Made is given each picture as soon as it is there, the largest first.
	Made func(picture Image, contentType, ext string) error
}

// Resize makes the four pictures of the photograph src. The same source gives
// the same bytes every time.
//
// declared is the media type that the uploader claimed; if the content is of
// another type the photograph is refused. An empty one, or
// application/octet-stream, claims nothing.
//
// The error is a *BadPhotoError if the photograph is to blame, else it wraps
// the context's. Resize may be called concurrently; each call is bounded as the
// package says.
func Resize(ctx context.Context, src []byte, declared string) (Result, error) {
	return ResizeInSteps(ctx, src, declared, Steps{})
}

// ResizeInSteps is Resize for a caller who wants to know more, and sooner.
func ResizeInSteps(ctx context.Context, src []byte, declared string, steps Steps) (Result, error) {
	f, err := identify(src, declared)
	if err != nil {
		return Result{}, err
	}
	return f.resize(ctx, src, steps)
}

// resize reads src as the format f. Decoders of hostile files may panic; that
// is the file's fault too. Whatever fails after the context has ended is not.
func (f format) resize(ctx context.Context, src []byte, steps Steps) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = Result{}, corrupt(fmt.Errorf("panic: %v", p))
		}
		if err != nil && ctx.Err() != nil {
			result, err = Result{}, fmt.Errorf("photo: resizing: %w", ctx.Err())
		}
	}()
	in, err := f.inspect(src)
	if err != nil {
		return Result{}, err
	}
	if err := in.check(); err != nil {
		return Result{}, err
	}
	img, err := f.decode(newReader(ctx, src), in)
	if err != nil {
		return Result{}, refuse(err)
	}
	if steps.Decoded != nil {
		pixels, err := sumOf(ctx, img)
		if err == nil {
			err = steps.Decoded(pixels)
		}
		if err != nil {
			return Result{}, err
		}
	}
	return makeSizes(ctx, img, in, steps)
}

// makeSizes scales the decoded photograph to the largest size, turns that
// upright, and makes each smaller picture from the one above it.
func makeSizes(ctx context.Context, img image.Image, in info, steps Steps) (Result, error) {
	sizes := Sizes()
	b := img.Bounds()
	w, h := fit(b.Dx(), b.Dy(), sizes[len(sizes)-1].Edge)
	large, err := scale(ctx, rowsOf(img), b.Dx(), b.Dy(), w, h)
	if err != nil {
		return Result{}, err
	}
	picture := upright(large, in.orientation)
	enc := newEncoder(picture, isGrey(img), in.profile)
	fullW, fullH := b.Dx(), b.Dy()
	if in.orientation >= 5 {
		fullW, fullH = fullH, fullW
	}

	result := Result{ContentType: enc.contentType, Ext: enc.ext, Images: make([]Image, len(sizes))}
	var data []byte
	for i := len(sizes) - 1; i >= 0; i-- {
		w, h := fit(fullW, fullH, sizes[i].Edge)
		if p := picture.Bounds(); i == len(sizes)-1 || w != p.Dx() || h != p.Dy() {
			if picture, err = scale(ctx, rowsOf(picture), p.Dx(), p.Dy(), w, h); err != nil {
				return Result{}, err
			}
			data = nil
		}
		if steps.Wanted != nil && !steps.Wanted(sizes[i]) {
			continue
		}
		if data == nil {
			if data, err = enc.encode(ctx, picture); err != nil {
				return Result{}, err
			}
		}
		result.Images[i] = Image{Size: sizes[i], Width: w, Height: h, Data: data}
		if steps.Made != nil {
			if err := steps.Made(result.Images[i], result.ContentType, result.Ext); err != nil {
				return Result{}, err
			}
		}
	}
	return result, nil
}

// fit returns the dimensions of a w × h picture whose longer edge is at most
// edge. It never enlarges, and no edge becomes shorter than one pixel.
func fit(w, h, edge int) (int, int) {
	long, short := max(w, h), min(w, h)
	if long <= edge {
		return w, h
	}
	short = max(1, (short*edge+long/2)/long)
	if w >= h {
		return edge, short
	}
	return short, edge
}
