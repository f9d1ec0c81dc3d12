package photo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// quality is that of the JPEGs written: above it files grow faster than they
// look better.
const quality = 82

// An encoder writes all pictures of one photograph in the same way.
type encoder struct {
	contentType, ext string
	grey             bool
	profile          []byte // nil, or one that fits what is written
}

// newEncoder chooses how to write, from the largest picture.
func newEncoder(picture *image.NRGBA, grey bool, profile []byte) encoder {
	e := encoder{contentType: "image/jpeg", ext: "jpg"}
	if !picture.Opaque() {
		e.contentType, e.ext = "image/png", "png"
	}
	switch space := profileSpace(profile); {
	case space == spaceRGB:
		e.profile = profile // also for grey pixels: they are written as RGB
	case grey && space == spaceGrey:
		e.grey, e.profile = true, profile
	default:
		e.grey = grey
	}
	return e
}

// encode writes one picture. Its metadata is the profile alone: the encoders
// of the standard library write none.
func (e encoder) encode(ctx context.Context, picture *image.NRGBA) ([]byte, error) {
	var file bytes.Buffer
	out := &writer{ctx, &file}
	if e.ext == "png" {
		if err := png.Encode(out, picture); err != nil {
			return nil, fmt.Errorf("photo: encoding PNG: %w", err)
		}
		if e.profile == nil {
			return file.Bytes(), nil
		}
		return withPNGProfile(file.Bytes(), e.profile)
	}
	// Opaque, so RGBA and NRGBA are the same; the encoder is faster with RGBA.
	var img image.Image = &image.RGBA{Pix: picture.Pix, Stride: picture.Stride, Rect: picture.Rect}
	if e.grey {
		img = greyOf(picture)
	}
	if err := jpeg.Encode(out, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("photo: encoding JPEG: %w", err)
	}
	if e.profile == nil {
		return file.Bytes(), nil
	}
	return withJPEGProfile(file.Bytes(), e.profile), nil
}

// greyOf keeps one channel of a picture whose channels are equal.
func greyOf(picture *image.NRGBA) *image.Gray {
	img := image.NewGray(picture.Rect)
	for i := range img.Pix {
		img.Pix[i] = picture.Pix[4*i]
	}
	return img
}

// A writer fails when the context ends.
type writer struct {
	ctx context.Context
	to  *bytes.Buffer
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}
