package photo

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"io"
)

// inspectJPEG reads the headers of a JPEG. The dimensions are the decoder's own
// reading, so that no other frame header than the checked one can be decoded.
func inspectJPEG(src []byte) (info, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return info{}, refuse(err)
	}
	h := walkJPEG(src)
	if h.frame.width != config.Width || h.frame.height != config.Height {
		return info{}, corrupt(errors.New("frame header is not where it belongs"))
	}
	in := info{
		width: config.Width, height: config.Height,
		orientation: exifOrientation(h.exif),
		memory:      h.memory(),
		plainCMYK:   len(h.frame.components) == 4 && !h.adobe,
		profile:     h.profile.join(),
		defect:      h.defect(),
	}
	return in, nil
}

// decodeJPEG decodes the pixels. CMYK is stored inverted by everything that
// writes Adobe's marker, and image/jpeg reads only that; files without the
// marker are plain, so they are read as if marked and turned around.
func decodeJPEG(r io.Reader, in info) (image.Image, error) {
	if !in.plainCMYK {
		return jpeg.Decode(r)
	}
	if _, err := io.CopyN(io.Discard, r, 2); err != nil {
		return nil, err
	}
	const marked = "\xff\xd8\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	img, err := jpeg.Decode(io.MultiReader(bytes.NewReader([]byte(marked)), r))
	if err != nil {
		return nil, err
	}
	cmyk, ok := img.(*image.CMYK)
	if !ok {
		return nil, errors.New("CMYK expected")
	}
	for i := range cmyk.Pix {
		cmyk.Pix[i] = 255 - cmyk.Pix[i]
	}
	return cmyk, nil
}

// maxScans is the most scans a progressive JPEG may have. Encoders write about
// ten; a scan of a few bytes can make the decoder visit every pixel.
const maxScans = 100

// defect is what makes a JPEG undecodable although its headers are sound, or
// decodable only to a picture that is partly grey.
func (h *jpegHeaders) defect() error {
	if !h.ended {
		return truncated(errors.New("no end marker"))
	}
	if h.scans > maxScans {
		return bad(CodeUnsupported, "this rare variant of JPEG is not supported; please save the picture as an ordinary JPEG",
			errors.New("too many scans"))
	}
	for _, c := range h.frame.components {
		if !c.scanned {
			return truncated(errors.New("a component has no scan"))
		}
	}
	return nil
}

// memory is what image/jpeg allocates: a byte for each sample, four more for
// each if progressive, and four for each pixel where it has to convert.
func (h *jpegHeaders) memory() int64 {
	f := h.frame
	if len(f.components) == 0 {
		return 0
	}
	widest, highest := 1, 1
	for _, c := range f.components {
		widest, highest = max(widest, c.h), max(highest, c.v)
	}
	units := ceilDiv(f.width, 8*widest) * ceilDiv(f.height, 8*highest)
	var samples int64
	for _, c := range f.components {
		samples += units * int64(64*c.h*c.v)
	}
	if len(f.components) == 1 {
		samples = ceilDiv(f.width, 8) * ceilDiv(f.height, 8) * 64
	}
	total := samples
	if f.progressive {
		total += 4 * samples
	}
	if len(f.components) == 4 || h.mayBeRGB() {
		total += 4 * int64(f.width) * int64(f.height)
	}
	return total
}

func ceilDiv(a, b int) int64 { return int64((a + b - 1) / b) }

// mayBeRGB tells whether image/jpeg may take the three components for RGB.
func (h *jpegHeaders) mayBeRGB() bool {
	c := h.frame.components
	return len(c) == 3 && (h.adobe && h.adobeTransform == 0 || c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B')
}
