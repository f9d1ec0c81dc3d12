package photo

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"testing"
)

// allocated runs do and returns how many bytes it allocated in all, which is
// at least what it ever held at once.
func allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Beside what is promised for decoding comes this much for resampling and
// encoding; 98 MiB of it are allocated for noise with an alpha channel.
const besides = 160 << 20

func TestMemoryIsBounded(t *testing.T) {
	if UnderRace {
		t.Skip("the race detector's own memory would be counted")
	}
	for name, file := range map[string][]byte{
		"JPEG":       encoded(t, image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)),
		"PNG":        encoded(t, image.NewNRGBA(image.Rect(0, 0, 1500, 1000))),
		"16-bit PNG": encoded(t, image.NewNRGBA64(image.Rect(0, 0, 1500, 1000))),
		"grey":       encoded(t, image.NewGray(image.Rect(0, 0, 1500, 1000))),
	} {
		f, err := identify(file, "")
		if err != nil {
			t.Fatal(err)
		}
		in, err := f.inspect(file)
		if err != nil {
			t.Fatal(err)
		}
		got := allocated(func() {
			if _, err := Resize(context.Background(), file, ""); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%s: %d × %d took %.1f bytes a pixel, decoding bounded to %.1f", name, in.width, in.height,
			float64(got)/float64(in.width*in.height), float64(in.memory)/float64(in.width*in.height))
		if got > in.memory+besides {
			t.Errorf("%s: %d bytes allocated, more than %d and %d", name, got, in.memory, besides)
		}
	}
}

// encoded is a JPEG of what has no alpha channel, else a PNG.
func encoded(t testing.TB, img image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	var err error
	switch img.(type) {
	case *image.YCbCr, *image.Gray:
		err = jpeg.Encode(&file, img, nil)
	default:
		err = png.Encode(&file, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// A refused photograph costs next to nothing, whatever it declares.
func TestRefusalComesBeforeDecoding(t *testing.T) {
	file := encoded(t, image.NewYCbCr(image.Rect(0, 0, 64, 48), image.YCbCrSubsampleRatio420))
	at := bytes.Index(file, []byte{0xff, 0xc0})
	copy(file[at+5:], "\xff\xff\xff\xff")
	file = append(file, make([]byte, 100_000)...)
	got := allocated(func() {
		var bad *BadPhotoError
		if _, err := Resize(context.Background(), file, ""); !errors.As(err, &bad) || bad.Code != CodeTooLarge {
			t.Errorf("error %v", err)
		}
	})
	if got > 1<<20 {
		t.Errorf("%d bytes allocated", got)
	}
}

func TestScalingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	untouched := func(int, []uint8) { t.Error("a row was read after the end") }
	for _, w := range []int{40, 20} {
		if _, err := scale(ctx, untouched, 40, 40, w, w); !errors.Is(err, context.Canceled) {
			t.Errorf("to %d: error %v", w, err)
		}
	}
}

// countdown is a context that ends after it has been asked some times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// The context is looked at from the first byte read to the last one written:
// wherever it ends, its error comes back, and no other.
func TestContextStopsTheWork(t *testing.T) {
	noisy := image.NewNRGBA(image.Rect(0, 0, 210, 140))
	for i := range noisy.Pix {
		noisy.Pix[i] = uint8(i * i >> 5)
	}
	for name, file := range map[string][]byte{
		"JPEG": encoded(t, image.NewYCbCr(image.Rect(0, 0, 210, 140), image.YCbCrSubsampleRatio420)),
		"PNG":  encoded(t, noisy),
	} {
		const plenty = 1 << 30
		left := plenty
		if _, err := Resize(countdown{context.Background(), &left}, file, ""); err != nil {
			t.Fatal(err)
		}
		looks := plenty - left
		if looks < 300 {
			t.Errorf("%s: looked at the context %d times only", name, looks)
		}
		for n := 0; n < looks; n += looks/30 + 1 {
			left := n
			result, err := Resize(countdown{context.Background(), &left}, file, "")
			if !errors.Is(err, context.Canceled) || result.Images != nil {
				t.Errorf("%s: ended after %d looks: error %v", name, n, err)
			}
			if left < -5 {
				t.Errorf("%s: ended after %d looks, but work went on for %d more", name, n, -left)
			}
		}
	}
}

func TestPanicIsTheFilesFault(t *testing.T) {
	f := format{"X", "image/x",
		func([]byte) (info, error) { return info{width: 1, height: 1}, nil },
		func(io.Reader, info) (image.Image, error) { panic("index out of range") }}
	_, err := f.resize(context.Background(), []byte("x"), Steps{})
	var bad *BadPhotoError
	if !errors.As(err, &bad) || bad.Code != CodeCorrupt {
		t.Errorf("error %v", err)
	}
}

func TestSumStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sumOf(ctx, image.NewNRGBA(image.Rect(0, 0, 3, 2))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
