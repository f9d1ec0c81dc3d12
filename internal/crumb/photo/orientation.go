package photo

import (
	"encoding/binary"
	"image"
)

// Orientation returns the EXIF orientation, 1 to 8, that the JPEG, PNG or WebP
// file src declares, and 1 if it declares none or is something else.
func Orientation(src []byte) int {
	f, err := identify(src, "")
	if err != nil {
		return 1
	}
	in, err := f.inspect(src)
	if err != nil {
		return 1
	}
	return in.orientation
}

// orientationTag is TIFF tag 274 (TIFF 6.0, Orientation).
const orientationTag = 0x0112

// exifOrientation reads the orientation from EXIF data, which is a TIFF file:
// a header, then a directory of twelve-byte entries. Anything odd gives 1.
func exifOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(entries) >= 12; n-- {
		if order.Uint16(entries) == orientationTag {
			return orientationValue(order, entries[2:12])
		}
		entries = entries[12:]
	}
	return 1
}

// orientationValue reads an entry's type, count and value.
func orientationValue(order binary.ByteOrder, entry []byte) int {
	const short, long = 3, 4
	value := 1
	switch order.Uint16(entry) {
	case short:
		value = int(order.Uint16(entry[6:]))
	case long: // against the rules, but seen
		value = int(order.Uint32(entry[6:]))
	}
	if value < 1 || value > 8 {
		return 1
	}
	return value
}

// upright turns a picture as its EXIF orientation asks. The orientation says
// where the first row and the first column of what is stored belong.
func upright(img *image.NRGBA, orientation int) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if orientation <= 1 || orientation > 8 {
		return img
	}
	dw, dh := w, h
	if orientation >= 5 {
		dw, dh = h, w
	}
	dst := image.NewNRGBA(image.Rect(0, 0, dw, dh))
	for y := range dh {
		for x := range dw {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(dst.Pix[y*dst.Stride+4*x:][:4], img.Pix[sy*img.Stride+4*sx:])
		}
	}
	return dst
}
