package clip_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/videos/clip"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/sampleclips"
)

// pot is three seconds of a film, smaller than the moving picture may be.
var pot = sampleclips.Film{Width: 128, Height: 72, Frames: 36, Rate: 12}

func avi(t testing.TB, f sampleclips.Film) []byte {
	t.Helper()
	return made(t, f.AVI)
}

func made(t testing.TB, f func() ([]byte, error)) []byte {
	t.Helper()
	data, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t *testing.T, src []byte, declared string) *clip.Clip {
	t.Helper()
	c, err := clip.Open(t.Context(), src, declared)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// whole makes all segments and joins them.
func whole(t *testing.T, c *clip.Clip) []byte {
	t.Helper()
	var segments [][]byte
	for i := range c.Segments() {
		data, err := c.Segment(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		segments = append(segments, data)
	}
	return c.Join(segments).Data
}

// played draws an animated GIF as a browser does: one picture for each tick.
func played(t *testing.T, data []byte) []*image.RGBA {
	t.Helper()
	file, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, file.Config.Width, file.Config.Height))
	var shown []*image.RGBA
	for i, frame := range file.Image {
		draw.Draw(canvas, frame.Rect, frame, frame.Rect.Min, draw.Over)
		for range file.Delay[i] / 10 {
			tick := image.NewRGBA(canvas.Rect)
			copy(tick.Pix, canvas.Pix)
			shown = append(shown, tick)
		}
	}
	return shown
}

// differ is the mean difference of two pictures' channels, out of 255.
func differ(a, b image.Image) float64 {
	var sum, n float64
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			c := color.RGBAModel.Convert(a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y)).(color.RGBA)
			d := color.RGBAModel.Convert(b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y)).(color.RGBA)
			for _, pair := range [][2]uint8{{c.R, d.R}, {c.G, d.G}, {c.B, d.B}} {
				sum += max(float64(pair[0])-float64(pair[1]), float64(pair[1])-float64(pair[0]))
				n++
			}
		}
	}
	return sum / n
}

func TestAFilmBecomesAMovingPicture(t *testing.T) {
	c := open(t, avi(t, pot), "video/x-msvideo")
	if c.Width != 128 || c.Height != 72 || c.Duration.Round(time.Millisecond) != 3*time.Second || c.Ticks() != 30 || c.Segments() != 2 {
		t.Errorf("it is %d × %d, lasts %v, has %d ticks in %d segments", c.Width, c.Height, c.Duration, c.Ticks(), c.Segments())
	}
	data := whole(t, c)
	shown := played(t, data)
	if len(shown) != 30 || shown[0].Rect != image.Rect(0, 0, 128, 72) {
		t.Fatalf("%d ticks of %v", len(shown), shown[0].Rect)
	}
	// What is shown is what was filmed at that moment.
	slower := pot
	slower.Rate = 10
	for _, tick := range []int{0, 19, 20, 29} {
		if d := differ(shown[tick], slower.Paint(tick)); d > 5 {
			t.Errorf("tick %d differs from what was filmed by %.1f", tick, d)
		}
	}
	if d := differ(shown[0], shown[15]); d < 0.3 {
		t.Errorf("the film stands still: %.2f", d)
	}
	if len(data) > 1<<20 {
		t.Errorf("three seconds take %d bytes", len(data))
	}
}

func TestLargeFilmsAreScaled(t *testing.T) {
	for _, upright := range []bool{false, true} {
		film, want, small := sampleclips.Film{Width: 1280, Height: 720, Frames: 2, Rate: 10}, image.Rect(0, 0, 400, 225), image.Rect(0, 0, 160, 90)
		if upright {
			film.Width, film.Height, want, small = 720, 1280, image.Rect(0, 0, 225, 400), image.Rect(0, 0, 90, 160)
		}
		c := open(t, avi(t, film), "")
		if shown := played(t, whole(t, c)); shown[0].Rect != want {
			t.Errorf("it is %v, want %v", shown[0].Rect, want)
		}
		preview, err := c.Preview(t.Context())
		if err != nil || played(t, preview.Data)[0].Rect != small {
			t.Errorf("the preview is not %v (%v)", small, err)
		}
		if poster, err := c.Poster(t.Context()); err != nil || max(poster.Width, poster.Height) != clip.PosterEdge {
			t.Errorf("the poster is %d × %d (%v)", poster.Width, poster.Height, err)
		}
	}
}

// Segments know nothing of one another: another process makes the same ones, in
// whatever order.
func TestSegmentsAreTheSameInAnyOrder(t *testing.T) {
	for name, src := range map[string][]byte{"AVI": avi(t, pot), "GIF": made(t, pot.GIF)} {
		forwards, backwards := open(t, src, ""), open(t, src, "")
		segments := make([][]byte, backwards.Segments())
		for i := len(segments) - 1; i >= 0; i-- {
			data, err := backwards.Segment(t.Context(), i, nil)
			if err != nil {
				t.Fatal(err)
			}
			segments[i] = data
		}
		if !bytes.Equal(whole(t, forwards), backwards.Join(segments).Data) {
			t.Errorf("%s: the order makes a difference", name)
		}
	}
}

func TestPosterAndPreview(t *testing.T) {
	c := open(t, avi(t, pot), "")
	poster, err := c.Poster(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	picture, err := jpeg.Decode(bytes.NewReader(poster.Data))
	if err != nil || picture.Bounds() != image.Rect(0, 0, 128, 72) || poster.Width != 128 || poster.Height != 72 {
		t.Errorf("the poster is %v, %v", picture.Bounds(), err)
	}
	preview, err := c.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if shown := played(t, preview.Data); len(shown) != 60 || shown[0].Rect != image.Rect(0, 0, 128, 72) || differ(shown[0], shown[30]) < 0.2 {
		t.Errorf("the preview has %d ticks of %v", len(shown), shown[0].Rect)
	}
}

// Each way in which cameras write the same film gives the same pictures.
func TestKindsOfAVI(t *testing.T) {
	plain := whole(t, open(t, avi(t, pot), ""))
	for name, change := range map[string]func(*sampleclips.Film){
		"no Huffman tables": func(f *sampleclips.Film) { f.Bare = true },
		"sound before it":   func(f *sampleclips.Film) { f.Sound = true },
	} {
		film := pot
		change(&film)
		if !bytes.Equal(plain, whole(t, open(t, avi(t, film), "video/vnd.avi"))) {
			t.Errorf("%s: the pictures differ", name)
		}
	}
	dropped := pot
	dropped.Dropped = true
	if shown := played(t, whole(t, open(t, avi(t, dropped), ""))); len(shown) != 30 {
		t.Errorf("with frames dropped there are %d ticks", len(shown))
	}
}

// A picture that is shown for a second is one picture; what was before it is put
// back as the GIF asks for.
func TestGIFs(t *testing.T) {
	area := image.Rect(0, 0, 40, 30)
	red, green, clear := color.RGBA{220, 30, 30, 255}, color.RGBA{30, 200, 30, 255}, color.RGBA{}
	p := color.Palette{red, green, clear}
	fill := func(r image.Rectangle, index uint8) *image.Paletted {
		frame := image.NewPaletted(r, p)
		for i := range frame.Pix {
			frame.Pix[i] = index
		}
		return frame
	}
	part := image.Rect(10, 10, 20, 20)
	file := &gif.GIF{
		Image:    []*image.Paletted{fill(area, 0), fill(part, 1), fill(image.Rect(0, 0, 1, 1), 0), fill(part, 1), fill(image.Rect(0, 0, 1, 1), 0)},
		Delay:    []int{100, 100, 100, 100, 0},
		Disposal: []byte{gif.DisposalNone, gif.DisposalPrevious, gif.DisposalNone, gif.DisposalBackground, gif.DisposalNone},
	}
	var src bytes.Buffer
	if err := gif.EncodeAll(&src, file); err != nil {
		t.Fatal(err)
	}
	c := open(t, src.Bytes(), "image/gif")
	if c.Duration != 4100*time.Millisecond || c.Ticks() != 41 {
		t.Errorf("it lasts %v: a picture for no time at all is shown as browsers show it", c.Duration)
	}
	data := whole(t, c)
	shown := played(t, data)
	for tick, want := range map[int]color.RGBA{0: red, 15: green, 25: red, 35: green, 40: {255, 255, 255, 255}} {
		got := shown[tick].RGBAAt(15, 15)
		if max(abs(got.R, want.R), abs(got.G, want.G), abs(got.B, want.B)) > 12 {
			t.Errorf("tick %d shows %v, want %v", tick, got, want)
		}
	}
	if out, err := gif.DecodeAll(bytes.NewReader(data)); err != nil || len(out.Image) > 7 {
		t.Errorf("five pictures became %d (%v)", len(out.Image), err)
	}
}

func abs(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestWorkStopsWithItsContext(t *testing.T) {
	src := avi(t, pot)
	c := open(t, src, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	frames := 0
	_, err := c.Segment(ctx, 0, func() {
		if frames++; frames == 3 {
			cancel(stopped)
		}
	})
	var badClip *clip.BadClipError
	if !errors.Is(err, stopped) || errors.As(err, &badClip) || frames != 3 {
		t.Errorf("%v after %d frames", err, frames)
	}
	if _, err := clip.Open(ctx, made(t, pot.GIF), ""); !errors.Is(err, stopped) {
		t.Errorf("opening a GIF: %v", err)
	}
	if _, err := c.Poster(ctx); !errors.Is(err, stopped) {
		t.Errorf("a poster: %v", err)
	}
	if _, err := c.Preview(ctx); !errors.Is(err, stopped) {
		t.Errorf("a preview: %v", err)
	}
}
