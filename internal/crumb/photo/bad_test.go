package photo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func TestBadPhotos(t *testing.T) {
	small := asJPEG(t, quarters(64, 48, "ABCD"))
	square := asPNG(t, quarters(64, 48, "ABCD"))
	film := asGIF(t, as(image.NewPaletted(image.Rect(0, 0, 64, 48), exact()), quarters(64, 48, "ABCD")).(*image.Paletted))
	ftyp := func(brands string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(8+len(brands))), "ftyp"+brands...)
	}
	cases := map[string]struct {
		src      []byte
		declared string
		code     photo.Code
		says     string
	}{
		"nothing":                {nil, "", photo.CodeEmpty, "empty"},
		"text":                   {[]byte("Dear all"), "image/jpeg", photo.CodeNotAnImage, "not a picture"},
		"PDF":                    {[]byte("%PDF-1.7 and so on"), "image/png", photo.CodeNotAnImage, ""},
		"zeros":                  {make([]byte, 5000), "image/png", photo.CodeNotAnImage, ""},
		"HEIC":                   {ftyp("heic\x00\x00\x00\x00mif1heic"), "image/heic", photo.CodeHEIC, "HEIC"},
		"HEIC named JPEG":        {ftyp("heic\x00\x00\x00\x00mif1heic"), "image/jpeg", photo.CodeHEIC, "HEIC"},
		"HEIF by second brand":   {ftyp("abcd\x00\x00\x00\x00mif1"), "", photo.CodeHEIC, ""},
		"AVIF":                   {ftyp("avif\x00\x00\x00\x00mif1avif"), "image/jpeg", photo.CodeUnsupported, "AVIF"},
		"AVIF by second brand":   {ftyp("mif1\x00\x00\x00\x00avif"), "", photo.CodeUnsupported, "AVIF"},
		"video":                  {ftyp("isom\x00\x00\x00\x00mp42"), "", photo.CodeNotAnImage, "video"},
		"TIFF":                   {[]byte("II*\x00\x08\x00\x00\x00"), "image/tiff", photo.CodeUnsupported, "TIFF"},
		"BMP":                    {[]byte("BM\x00\x00\x01\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00"), "", photo.CodeUnsupported, "BMP"},
		"SVG":                    {[]byte("<?xml version='1.0'?><svg/>"), "", photo.CodeUnsupported, "SVG"},
		"SVG, marked UTF-8":      {[]byte("\xef\xbb\xbf<svg/>"), "image/svg+xml", photo.CodeUnsupported, "SVG"},
		"HTML called PNG":        {[]byte("<!doctype html><title>x</title>"), "image/png", photo.CodeNotAnImage, ""},
		"JPEG, three bytes":      {[]byte("\xff\xd8\xff"), "image/jpeg", photo.CodeTruncated, ""},
		"PNG, crafted header":    {declaredPNG(square, 0x00efbfbd, 0x0d000020, 8), "", photo.CodeTooLarge, "15712189"},
		"PNG, negative":          {declaredPNG(square, 0x80000001, 0x80000001, 8), "", photo.CodeCorrupt, ""},
		"PNG, no width":          {declaredPNG(square, 0, 64, 8), "", photo.CodeCorrupt, ""},
		"GIF, no canvas":         {append([]byte("GIF89a\x00\x00\x00\x00"), film[10:]...), "", photo.CodeCorrupt, ""},
		"JPEG XL":                {[]byte("\xff\x0a12345"), "", photo.CodeUnsupported, "JPEG XL"},
		"JPEG called PNG":        {small, "image/png", photo.CodeTypeMismatch, "the file says image/png but holds a JPEG"},
		"PNG called JPEG":        {square, "image/jpeg", photo.CodeTypeMismatch, "the file says image/jpeg but holds a PNG"},
		"GIF called WebP":        {film, "image/webp", photo.CodeTypeMismatch, "holds a GIF"},
		"odd declaration":        {small, "image/jpeg/x y", photo.CodeTypeMismatch, "not a media type"},
		"JPEG, text after start": {[]byte("\xff\xd8 is how a JPEG begins"), "", photo.CodeTruncated, ""},
		"JPEG, arithmetic":       {replaced(t, small, "\xff\xc0", "\xff\xc9"), "", photo.CodeUnsupported, "variant"},
		"JPEG, 12 bits":          {replaced(t, small, "\xff\xc0\x00\x11\x08", "\xff\xc0\x00\x11\x0c"), "", photo.CodeUnsupported, "variant"},
		"JPEG, no height":        {replaced(t, small, "\x00\x30\x00\x40", "\x00\x00\x00\x40"), "", photo.CodeCorrupt, ""},
		"JPEG, 65,535 squared":   {replaced(t, small, "\x00\x30\x00\x40", "\xff\xff\xff\xff"), "", photo.CodeTooLarge, "65535 × 65535"},
		"JPEG, long and thin":    {replaced(t, small, "\x00\x30\x00\x40", "\x00\x01\x75\x31"), "", photo.CodeTooLarge, "30001 × 1"},
		"JPEG, 400 megapixels":   {replaced(t, small, "\x00\x30\x00\x40", "\x4e\x20\x4e\x20"), "", photo.CodeTooLarge, "megapixels"},
		"JPEG, taller than true": {replaced(t, small, "\x00\x30\x00\x40", "\x00\xf0\x00\x40"), "", photo.CodeCorrupt, ""},
		"JPEG, colour missing":   {withoutLastScan(t), "", photo.CodeTruncated, ""},
		"JPEG, scans by the 100": {manyScans(t), "", photo.CodeUnsupported, ""},
		"PNG, huge":              {declaredPNG(square, 65535, 65535, 8), "", photo.CodeTooLarge, ""},
		"PNG, 16 bits, large":    {declaredPNG(square, 9000, 9000, 16), "", photo.CodeTooLarge, "memory"},
		"PNG, flipped byte":      {flipped(square, len(square)/2), "", photo.CodeCorrupt, "damaged"},
		"PNG, header alone":      {square[:8], "", photo.CodeTruncated, ""},
		"GIF, huge canvas":       {append([]byte("GIF89a\xff\xff\xff\xff"), film[10:]...), "", photo.CodeTooLarge, ""},
		"GIF, frame outside":     {append([]byte("GIF89a\x10\x00\x10\x00"), film[10:]...), "", photo.CodeCorrupt, ""},
		"GIF, header alone":      {film[:6], "", photo.CodeTruncated, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := photo.Resize(t.Context(), c.src, c.declared)
			wantCode(t, err, c.code)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("message %q does not say %q", err, c.says)
			}
		})
	}
}

func TestDeclaredTypesThatAgree(t *testing.T) {
	src := asJPEG(t, quarters(8, 8, "ABCD"))
	for _, declared := range []string{"", "image/jpeg", "IMAGE/JPEG", "image/jpeg; charset=binary", "image/jpg", "image/pjpeg", "application/octet-stream", "binary/octet-stream"} {
		if _, err := photo.Resize(t.Context(), src, declared); err != nil {
			t.Errorf("%q: %v", declared, err)
		}
	}
}

// Wherever a file is cut, it is refused: no picture is half grey.
func TestCutFilesAreRefused(t *testing.T) {
	progressive, err := samplephotos.Progressive(quarters(64, 48, "ABCD"))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string][]byte{
		"JPEG": asJPEG(t, quarters(64, 48, "ABCD")), "progressive": progressive, "PNG": asPNG(t, quarters(64, 48, "ABCD")),
	} {
		for n := 8; n < len(src); n++ {
			_, err := photo.Resize(t.Context(), src[:n], "")
			wantCode(t, err, photo.CodeTruncated)
		}
		if name == "PNG" {
			continue
		}
		// An end marker does not make it whole.
		for n := bytes.LastIndex(src, []byte{0xff, 0xda}) + 14; n < len(src)-3; n++ {
			if _, err := photo.Resize(t.Context(), append(bytes.Clone(src[:n]), 0xff, 0xd9), ""); err == nil {
				t.Errorf("%s of %d bytes cut at %d, with an end marker, was accepted", name, len(src), n)
			}
		}
	}
}

func TestBadPhotoErrorKeepsItsCause(t *testing.T) {
	_, err := photo.Resize(context.Background(), flipped(asPNG(t, quarters(64, 48, "ABCD")), 60), "")
	var bad *photo.BadPhotoError
	if !errors.As(err, &bad) || errors.Unwrap(bad) == nil {
		t.Errorf("error %v has no cause", err)
	}
}

func replaced(t *testing.T, src []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(src, []byte(old)) {
		t.Fatalf("%x is not in the file", old)
	}
	return bytes.Replace(src, []byte(old), []byte(with), 1)
}

func flipped(src []byte, at int) []byte {
	out := bytes.Clone(src)
	out[at] ^= 0x55
	return out
}

func declaredPNG(src []byte, w, h uint32, depth byte) []byte {
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append(append(bytes.Clone(src[:8]), pngChunk("IHDR", append(data, depth, 6, 0, 0, 0))...), src[33:]...)
}

// withoutLastScan is CMYK whose black never comes.
func withoutLastScan(t *testing.T) []byte {
	t.Helper()
	file, err := samplephotos.CMYK(image.NewCMYK(image.Rect(0, 0, 64, 64)), samplephotos.AdobeCMYK)
	if err != nil {
		t.Fatal(err)
	}
	return append(file[:bytes.LastIndex(file, []byte{0xff, 0xda})], 0xff, 0xd9)
}

// manyScans repeats the details of a progressive JPEG.
func manyScans(t *testing.T) []byte {
	t.Helper()
	file, err := samplephotos.Progressive(quarters(64, 48, "ABCD"))
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.Clone(file[bytes.LastIndex(file, []byte{0xff, 0xda}) : len(file)-2])
	out := file[:len(file)-2]
	for range 200 {
		out = append(out, last...)
	}
	return append(out, 0xff, 0xd9)
}
