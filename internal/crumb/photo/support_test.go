package photo_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	s, err := samplephotos.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	if photo.UnderRace && s.Height > 300 {
		s.Width, s.Height = s.Width/4, s.Height/4
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func resize(t testing.TB, src []byte) photo.Result {
	t.Helper()
	result, err := photo.Resize(context.Background(), src, "")
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// wantCode checks that err blames the photograph with that code.
func wantCode(t *testing.T, err error, code photo.Code) {
	t.Helper()
	var bad *photo.BadPhotoError
	if !errors.As(err, &bad) {
		t.Fatalf("error %v, want a BadPhotoError %s", err, code)
	}
	if bad.Code != code || bad.Message == "" {
		t.Fatalf("error %v, want code %s", err, code)
	}
}

func asJPEG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// pngChunk encodes one chunk.
func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// withChunks puts chunks after the header of a PNG.
func withChunks(file []byte, chunks ...[]byte) []byte {
	const header = 8 + 25
	out := append([]byte(nil), file[:header]...)
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, file[header:]...)
}

func profileChunk(t testing.TB, profile []byte) []byte {
	t.Helper()
	b := bytes.NewBufferString("Some name\x00\x00")
	z := zlib.NewWriter(b)
	if _, err := z.Write(profile); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return pngChunk("iCCP", b.Bytes())
}

func exifSegment(e samplephotos.EXIF) samplephotos.Segment {
	return samplephotos.Segment{Marker: 0xe1, Data: append([]byte("Exif\x00\x00"), e.Bytes()...)}
}

// corners are the colours of four quarters, by letter.
var corners = map[byte]color.NRGBA{
	'A': {220, 30, 30, 255}, 'B': {30, 200, 30, 255}, 'C': {30, 30, 220, 255}, 'D': {240, 220, 30, 255},
}

// quarters is a picture of four colours: top left, top right, bottom left and
// bottom right.
func quarters(w, h int, letters string) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			i := 0
			if x >= w/2 {
				i++
			}
			if y >= h/2 {
				i += 2
			}
			img.SetNRGBA(x, y, corners[letters[i]])
		}
	}
	return img
}

// lettersOf names the colours in the middle of each quarter.
func lettersOf(img image.Image) string {
	b := img.Bounds()
	var letters []byte
	for i := range 4 {
		x, y := b.Min.X+b.Dx()*(1+i%2*2)/4, b.Min.Y+b.Dy()*(1+i/2*2)/4
		letter := byte('?')
		for l, c := range corners {
			if distance(img.At(x, y), c) < 24 {
				letter = l
			}
		}
		letters = append(letters, letter)
	}
	return string(letters)
}

// distance is the largest difference of a channel, in 8-bit steps.
func distance(a, b color.Color) int {
	x, y := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	d := 0
	for _, p := range [][2]uint8{{x.R, y.R}, {x.G, y.G}, {x.B, y.B}, {x.A, y.A}} {
		d = max(d, int(p[0])-int(p[1]), int(p[1])-int(p[0]))
	}
	return d
}
