package samplephotos

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
)

// A Segment is a marker of a JPEG and the data that follows its length.
type Segment struct {
	Marker byte
	Data   []byte
}

func (s Segment) appendTo(b []byte) []byte {
	b = append(b, 0xff, s.Marker)
	b = binary.BigEndian.AppendUint16(b, uint16(len(s.Data)+2))
	return append(b, s.Data...)
}

// WithSegments puts segments after the start marker of a JPEG.
func WithSegments(file []byte, segments ...Segment) []byte {
	out := append([]byte(nil), file[:2]...)
	for _, s := range segments {
		out = s.appendTo(out)
	}
	return append(out, file[2:]...)
}

// A plane is one component of a picture as the standard library encodes it by
// itself. It writes neither CMYK nor progressive files; but such files can be
// put together from planes, each in scans of its own.
type plane struct {
	tables  []Segment // quantization and Huffman tables
	width   int
	height  int
	entropy []byte
}

// encodePlane encodes one component. All planes share the same tables.
func encodePlane(img *image.Gray) (plane, error) {
	file, err := encodeJPEG(img, 90)
	if err != nil {
		return plane{}, err
	}
	p := plane{width: img.Rect.Dx(), height: img.Rect.Dy()}
	for rest := file[2:]; len(rest) >= 4; {
		marker, n := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		data := rest[4 : 2+n]
		rest = rest[2+n:]
		switch marker {
		case 0xdb, 0xc4:
			p.tables = append(p.tables, Segment{marker, data})
		case 0xda:
			p.entropy = rest[:len(rest)-2]
			return p, nil
		}
	}
	return plane{}, errors.New("no scan in a JPEG")
}

// frame is the header of a frame of n components, all of full size.
func (p plane) frame(marker byte, n int) Segment {
	data := []byte{8}
	data = binary.BigEndian.AppendUint16(data, uint16(p.height))
	data = binary.BigEndian.AppendUint16(data, uint16(p.width))
	data = append(data, byte(n))
	for i := range n {
		data = append(data, byte(i+1), 0x11, 0)
	}
	return Segment{marker, data}
}

// scan is the header of a scan of one component, over a band of coefficients.
func scan(component, from, to int) Segment {
	return Segment{0xda, []byte{1, byte(component + 1), 0, byte(from), byte(to), 0}}
}

// CMYKKind says how a JPEG in CMYK stores its inks.
type CMYKKind int

// How inks are stored.
const (
	// AdobeCMYK is inverted, with Adobe's marker: what Photoshop writes.
	AdobeCMYK CMYKKind = iota
	// AdobeYCCK has the first three inks turned into luma and chroma besides.
	AdobeYCCK
	// PlainCMYK is as it is, without a marker.
	PlainCMYK
)

// CMYK encodes a picture for print as JPEG.
func CMYK(img *image.CMYK, kind CMYKKind) ([]byte, error) {
	planes := separate(img, kind)
	out := []byte{0xff, 0xd8}
	if kind != PlainCMYK {
		transform := byte(0)
		if kind == AdobeYCCK {
			transform = 2
		}
		out = Segment{0xee, []byte{'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, transform}}.appendTo(out)
	}
	for i, component := range planes {
		p, err := encodePlane(component)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, t := range append(p.tables, p.frame(0xc0, 4)) {
				out = t.appendTo(out)
			}
		}
		out = append(scan(i, 0, 63).appendTo(out), p.entropy...)
	}
	return append(out, 0xff, 0xd9), nil
}

// separate gives the four components as they are stored.
func separate(img *image.CMYK, kind CMYKKind) [4]*image.Gray {
	var planes [4]*image.Gray
	for i := range planes {
		planes[i] = image.NewGray(img.Rect)
	}
	for i := range planes[0].Pix {
		p := [4]byte(img.Pix[4*i:])
		switch kind {
		case AdobeCMYK:
			p = [4]byte{255 - p[0], 255 - p[1], 255 - p[2], 255 - p[3]}
		case AdobeYCCK:
			y, cb, cr := color.RGBToYCbCr(p[0], p[1], p[2])
			p = [4]byte{y, cb, cr, 255 - p[3]}
		}
		for j := range planes {
			planes[j].Pix[i] = p[j]
		}
	}
	return planes
}
