package photo_test

import (
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func filled(w, h int, at func(x, y int) color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
	return img
}

func sums(t *testing.T, src []byte) (sum [sha256.Size]byte) {
	t.Helper()
	if _, err := photo.ResizeInSteps(t.Context(), src, "", photo.Steps{Decoded: func(got [sha256.Size]byte) error {
		sum = got
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return sum
}

// The samples orientation-1.jpg to -8.jpg hold different pixels, and say how to
// turn them; what is changed here is only what they say.
func TestSumIsOfThePixelsAlone(t *testing.T) {
	sample, err := samplephotos.Named("orientation-3.jpg")
	if err != nil {
		t.Fatal(err)
	}
	data, err := sample.Data()
	if err != nil {
		t.Fatal(err)
	}
	// A comment segment after the start of the image.
	said := slices.Concat(data[:2], []byte{0xff, 0xfe, 0, 7}, []byte("hello"), data[2:])
	if sums(t, data) != sums(t, said) {
		t.Error("a comment changed the sum")
	}
	// The same without its EXIF segment.
	bare := withoutSegment(t, data, 0xe1)
	if sums(t, data) != sums(t, bare) {
		t.Error("the metadata changed the sum")
	}
	one := asPNG(t, filled(3, 2, func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), 0, 255} }))
	two := asPNG(t, filled(3, 2, func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), uint8(x * y / 2), 255} }))
	if sums(t, one) == sums(t, two) {
		t.Error("another pixel did not change the sum")
	}
	wide := asPNG(t, filled(4, 1, func(int, int) color.NRGBA { return color.NRGBA{} }))
	high := asPNG(t, filled(1, 4, func(int, int) color.NRGBA { return color.NRGBA{} }))
	if sums(t, wide) == sums(t, high) {
		t.Error("another shape did not change the sum")
	}
}

// withoutSegment cuts the first segment of a kind out of a JPEG's head.
func withoutSegment(t *testing.T, data []byte, kind byte) []byte {
	t.Helper()
	for at := 2; at+4 < len(data) && data[at] == 0xff; {
		end := at + 2 + int(data[at+2])<<8 + int(data[at+3])
		if data[at+1] == kind {
			return slices.Concat(data[:at], data[end:])
		}
		at = end
	}
	t.Fatalf("there is no segment %x", kind)
	return nil
}

func TestStepsMayEndTheWork(t *testing.T) {
	src := asPNG(t, filled(3, 2, func(x, y int) color.NRGBA { return color.NRGBA{uint8(x), uint8(y), 0, 255} }))
	enough := errors.New("enough")
	var made []string
	_, err := photo.ResizeInSteps(t.Context(), src, "", photo.Steps{Made: func(p photo.Image, contentType, ext string) error {
		if made = append(made, p.Name+"."+ext); contentType != "image/jpeg" || len(p.Data) == 0 {
			t.Errorf("%s is %s, with %d bytes", p.Name, contentType, len(p.Data))
		}
		if len(made) == 2 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || !slices.Equal(made, []string{"large.jpg", "medium.jpg"}) {
		t.Errorf("%v after %v", err, made)
	}
	_, err = photo.ResizeInSteps(t.Context(), src, "", photo.Steps{
		Decoded: func([sha256.Size]byte) error { return enough },
		Made:    func(photo.Image, string, string) error { t.Error("a picture was made all the same"); return nil },
	})
	if !errors.Is(err, enough) {
		t.Errorf("after decoding: %v", err)
	}
}
