package photo_test

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func TestSamples(t *testing.T) {
	for _, s := range samplephotos.All() {
		t.Run(s.Name, func(t *testing.T) {
			if s.Height > 2000 || photo.UnderRace && s.Height > 300 { // painted smaller, for speed
				s.Width, s.Height = s.Width/4, s.Height/4
			}
			src, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			result, err := photo.Resize(t.Context(), src, s.ContentType())
			if s.Want != "" {
				wantCode(t, err, photo.Code(s.Want))
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkNoTraces(t, result)
			checkSizes(t, result, s)
		})
	}
}

// checkSizes checks each picture against what the file really holds.
func checkSizes(t *testing.T, result photo.Result, s samplephotos.Sample) {
	t.Helper()
	if want := s.Transparent; want != (result.ContentType == "image/png") || want != (result.Ext == "png") {
		t.Errorf("content type %s, ending %s", result.ContentType, result.Ext)
	}
	for i, size := range photo.Sizes() {
		got := result.Images[i]
		b := open(t, got.Data).Bounds()
		if got.Size != size || b.Dx() != got.Width || b.Dy() != got.Height {
			t.Errorf("%v is said to be %d × %d and is %v", got.Size, got.Width, got.Height, b)
		}
		long := min(size.Edge, max(s.Width, s.Height))
		if max(got.Width, got.Height) != long || (got.Width > got.Height) != (s.Width > s.Height) {
			t.Errorf("%s is %d × %d, of %d × %d", got.Name, got.Width, got.Height, s.Width, s.Height)
		}
	}
}

// Every way of storing the four colours shows them again.
func TestFormatsShowRightColours(t *testing.T) {
	img := quarters(300, 200, "ABCD")
	cases := map[string][]byte{
		"JPEG":         asJPEG(t, img),
		"PNG":          asPNG(t, img),
		"16-bit PNG":   asPNG(t, as(image.NewRGBA64(img.Rect), img)),
		"16-bit alpha": asPNG(t, as(image.NewNRGBA64(img.Rect), img)),
		"palette PNG":  asPNG(t, as(image.NewPaletted(img.Rect, exact()), img)),
		"GIF":          asGIF(t, as(image.NewPaletted(img.Rect, exact()), img).(*image.Paletted)),
		"RGB JPEG":     rgbJPEG(t, img),
	}
	for name, kind := range map[string]samplephotos.CMYKKind{
		"CMYK": samplephotos.AdobeCMYK, "YCCK": samplephotos.AdobeYCCK, "plain CMYK": samplephotos.PlainCMYK,
	} {
		file, err := samplephotos.CMYK(as(image.NewCMYK(img.Rect), img).(*image.CMYK), kind)
		if err != nil {
			t.Fatal(err)
		}
		cases[name] = file
	}
	progressive, err := samplephotos.Progressive(img)
	if err != nil {
		t.Fatal(err)
	}
	cases["progressive"] = progressive
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			result := resize(t, src)
			if result.ContentType != "image/jpeg" {
				t.Errorf("content type %s", result.ContentType)
			}
			for _, i := range result.Images {
				if got := lettersOf(open(t, i.Data)); got != "ABCD" {
					t.Errorf("%s shows %s", i.Name, got)
				}
			}
		})
	}
}

func TestGreyStaysGrey(t *testing.T) {
	deep := image.NewGray16(image.Rect(0, 0, 300, 200))
	for x := range 300 {
		for y := range 200 {
			deep.SetGray16(x, y, color.Gray16{uint16(x * 200)})
		}
	}
	for name, src := range map[string][]byte{"JPEG": asJPEG(t, greyQuarters()), "PNG": asPNG(t, greyQuarters()), "16-bit PNG": asPNG(t, deep)} {
		for _, i := range resize(t, src).Images {
			img, ok := open(t, i.Data).(*image.Gray)
			if !ok {
				t.Fatalf("%s: %s is not grey", name, i.Name)
			}
			dark, bright := img.GrayAt(0, i.Height/2).Y, img.GrayAt(i.Width-1, i.Height/2).Y
			if dark > 12 || bright < 130 {
				t.Errorf("%s: %s goes from %d to %d", name, i.Name, dark, bright)
			}
		}
	}
}

func TestTransparencyIsKept(t *testing.T) {
	soft := softSquare()
	for name, src := range map[string][]byte{"8 bit": asPNG(t, soft), "16 bit": asPNG(t, as(image.NewNRGBA64(soft.Rect), soft))} {
		for _, i := range resize(t, src).Images {
			img := open(t, i.Data)
			x, y := i.Width/4, i.Height/4
			want := corners['A']
			want.A = 128
			if got := img.At(x, y); distance(got, want) > 1 {
				t.Errorf("%s: %s is %v, want %v", name, i.Name, got, want)
			}
			if got := img.At(3*x, y); distance(got, corners['B']) > 1 {
				t.Errorf("%s: %s is %v, want %v", name, i.Name, got, corners['B'])
			}
		}
	}
}

// The first frame of this animation covers a part of its canvas only.
func TestGIFFrameIsPlacedOnItsCanvas(t *testing.T) {
	frame := image.NewPaletted(image.Rect(100, 50, 200, 150), exact())
	for i := range frame.Pix {
		frame.Pix[i] = 1
	}
	second := image.NewPaletted(image.Rect(0, 0, 300, 200), exact())
	var file bytes.Buffer
	err := gif.EncodeAll(&file, &gif.GIF{
		Image: []*image.Paletted{frame, second}, Delay: []int{1, 1},
		Config: image.Config{Width: 300, Height: 200, ColorModel: exact()},
	})
	if err != nil {
		t.Fatal(err)
	}
	result := resize(t, file.Bytes())
	img := open(t, result.Images[3].Data)
	if b := img.Bounds(); b.Dx() != 300 || b.Dy() != 200 || result.ContentType != "image/png" {
		t.Fatalf("%s of %v", result.ContentType, b)
	}
	for _, c := range []struct {
		x, y int
		want color.Color
	}{{50, 100, color.NRGBA{}}, {150, 100, exact()[1]}, {250, 100, color.NRGBA{}}, {150, 20, color.NRGBA{}}} {
		if got := img.At(c.x, c.y); distance(got, c.want) > 0 {
			t.Errorf("pixel %d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestSameSourceSameBytes(t *testing.T) {
	for _, name := range []string{"orientation-7.jpg", "cutout.png", "tomatoes.jpg"} {
		src := sample(t, name)
		first, second := resize(t, src), resize(t, src)
		for i := range first.Images {
			if !bytes.Equal(first.Images[i].Data, second.Images[i].Data) {
				t.Errorf("%s: %s differs", name, first.Images[i].Name)
			}
		}
	}
}

func as(dst draw.Image, src image.Image) image.Image {
	draw.Draw(dst, dst.Bounds(), src, src.Bounds().Min, draw.Src)
	return dst
}

// exact is a palette with the four colours in it.
func exact() color.Palette {
	return append(color.Palette{color.NRGBA{0, 0, 0, 255}, corners['A'], corners['B'], corners['C'], corners['D']}, palette.WebSafe[:200]...)
}

func asGIF(t *testing.T, img *image.Paletted) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := gif.EncodeAll(&file, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{0}}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// rgbJPEG stores red, green and blue as they are, and says so as Adobe does.
func rgbJPEG(t *testing.T, img *image.NRGBA) []byte {
	t.Helper()
	turned := image.NewYCbCr(img.Rect, image.YCbCrSubsampleRatio420)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.NRGBAAt(x, y)
			turned.Y[turned.YOffset(x, y)] = c.R
			turned.Cb[turned.COffset(x, y)], turned.Cr[turned.COffset(x, y)] = c.G, c.B
		}
	}
	return samplephotos.WithSegments(asJPEG(t, turned), samplephotos.Segment{Marker: 0xee, Data: []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")})
}
