package photo_test

import (
	"encoding/base64"
	"encoding/binary"
	"image/color"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

// chunk is one part of a RIFF file.
func chunk(kind string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	out = append(out, data...)
	return append(out, make([]byte, len(data)%2)...)
}

func riff(chunks ...[]byte) []byte {
	body := []byte("WEBP")
	for _, c := range chunks {
		body = append(body, c...)
	}
	return chunk("RIFF", body)
}

// extended is the header of a WebP with more than pixels.
func extended(flags byte, w, h int) []byte {
	return chunk("VP8X", []byte{flags, 0, 0, 0, byte(w - 1), byte((w - 1) >> 8), 0, byte(h - 1), byte((h - 1) >> 8), 0})
}

// lossless is a lossless WebP of one colour: each of its five codes has a
// single symbol, so that the pixels take no bits at all (RFC 9649, 3.7.2).
func lossless(w, h int, c color.NRGBA) []byte {
	var out []byte
	bits, n := uint64(0), 0
	put := func(v uint64, width int) {
		bits |= v << n
		for n += width; n >= 8; n -= 8 {
			out = append(out, byte(bits))
			bits >>= 8
		}
	}
	put(0x2f, 8)
	put(uint64(w-1), 14)
	put(uint64(h-1), 14)
	put(1, 1) // has alpha
	put(0, 3) // version
	put(0, 3) // no transform, no colour cache, no meta codes
	for _, symbol := range []uint8{c.G, c.R, c.B, c.A, 0} {
		put(0b101, 3) // simple code, one symbol, of eight bits
		put(uint64(symbol), 8)
	}
	put(0, 7)
	return chunk("VP8L", out)
}

func webpWithProfile(profile []byte) []byte {
	return riff(extended(0x20, 300, 200), chunk("ICCP", profile), lossless(300, 200, color.NRGBA{200, 90, 30, 255}))
}

func TestWebP(t *testing.T) {
	lossy, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	exif := samplephotos.EXIF{Make: "Crumb", Orientation: 6}.Bytes()
	soft := color.NRGBA{200, 90, 30, 100}
	cases := map[string]struct {
		src         []byte
		contentType string
		w, h        int
	}{
		"lossy":            {lossy, "image/jpeg", 1, 1},
		"lossless":         {riff(lossless(300, 200, color.NRGBA{200, 90, 30, 255})), "image/jpeg", 300, 200},
		"transparent":      {riff(lossless(300, 200, soft)), "image/png", 300, 200},
		"turned, metadata": {riff(extended(0x18, 300, 200), lossless(300, 200, soft), chunk("EXIF", exif)), "image/png", 200, 300},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			result := resize(t, c.src)
			checkNoTraces(t, result)
			large := result.Images[3]
			if result.ContentType != c.contentType || large.Width != c.w || large.Height != c.h {
				t.Errorf("%s, %d × %d", result.ContentType, large.Width, large.Height)
			}
		})
	}
	if got := open(t, resize(t, cases["transparent"].src).Images[0].Data).At(5, 5); distance(got, soft) > 1 {
		t.Errorf("thumb shows %v, want %v", got, soft)
	}
}

func TestBadWebP(t *testing.T) {
	for name, c := range map[string]struct {
		src  []byte
		code photo.Code
	}{
		"animated":  {riff(extended(2, 300, 200), chunk("ANIM", make([]byte, 6))), photo.CodeUnsupported},
		"huge":      {riff(lossless(16384, 16384, color.NRGBA{1, 2, 3, 255})), photo.CodeTooLarge},
		"header":    {[]byte("RIFF\x00\x00\x00\x00WEBP"), photo.CodeCorrupt},
		"truncated": {riff(chunk("VP8L", []byte{0x2f, 1, 0, 0, 0})), photo.CodeTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := photo.Resize(t.Context(), c.src, "")
			wantCode(t, err, c.code)
		})
	}
}
