package photo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

// FuzzResize: whatever the bytes, there are four sound pictures or a reason for
// the person, within the memory promised.
func FuzzResize(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed, "")
		f.Add(seed, "image/jpeg")
	}
	f.Fuzz(func(t *testing.T, src []byte, declared string) {
		var in info
		if f, err := identify(src, ""); err == nil {
			if in, err = f.inspect(src); err == nil && in.check() == nil && in.width*in.height > 1_000_000 {
				t.Skip("sound, but too slow to try by the thousand")
			}
		}
		var result Result
		var err error
		got := allocated(func() { result, err = Resize(context.Background(), src, declared) })
		if limit := in.memory + int64(64*len(src)) + besides; got > limit {
			t.Errorf("%d bytes allocated, more than %d", got, limit)
		}
		if err != nil {
			var bad *BadPhotoError
			if !errors.As(err, &bad) || bad.Message == "" {
				t.Fatalf("error %v is not for a person", err)
			}
			return
		}
		for _, i := range result.Images {
			config, _, err := image.DecodeConfig(bytes.NewReader(i.Data))
			if err != nil || config.Width != i.Width || config.Height != i.Height || max(i.Width, i.Height) > i.Edge {
				t.Fatalf("%s of %d × %d: %v, %v", i.Name, i.Width, i.Height, config, err)
			}
		}
	})
}

// seeds are small files of all kinds, and what should be refused.
func seeds(f *testing.F) [][]byte {
	f.Helper()
	small := filled(24, 16, func(x, y int) color.NRGBA { return color.NRGBA{uint8(x * 10), uint8(y * 10), 90, 255} })
	soft := filled(24, 16, func(x, y int) color.NRGBA { return color.NRGBA{uint8(x * 10), 7, 90, uint8(y * 16)} })
	var film bytes.Buffer
	frame := image.NewPaletted(image.Rect(2, 2, 9, 9), color.Palette{color.Black, color.White, color.Transparent})
	if err := gif.EncodeAll(&film, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{1}, Config: image.Config{Width: 12, Height: 12}}); err != nil {
		f.Fatal(err)
	}
	progressive, err := samplephotos.Progressive(small)
	if err != nil {
		f.Fatal(err)
	}
	cmyk, err := samplephotos.CMYK(image.NewCMYK(image.Rect(0, 0, 16, 16)), samplephotos.PlainCMYK)
	if err != nil {
		f.Fatal(err)
	}
	grey := samplephotos.WithSegments(encoded(f, image.NewGray(image.Rect(0, 0, 9, 9))), samplephotos.ProfileSegments(samplephotos.Profile(0))...)
	exif := samplephotos.Segment{Marker: 0xe1, Data: append([]byte("Exif\x00\x00"), samplephotos.EXIF{Make: "x", Orientation: 7}.Bytes()...)}
	list := [][]byte{encoded(f, small), encoded(f, soft), film.Bytes(), progressive, cmyk, grey, samplephotos.WithSegments(progressive, exif),
		[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00\x00")}
	for _, s := range samplephotos.All() {
		if s.Want == "" {
			continue
		}
		data, err := s.Data()
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func BenchmarkResize12MP(b *testing.B) {
	s, err := samplephotos.Named("soup.jpg")
	if err != nil {
		b.Fatal(err)
	}
	src, err := s.Data()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if _, err := Resize(context.Background(), src, "image/jpeg"); err != nil {
			b.Fatal(err)
		}
	}
}
