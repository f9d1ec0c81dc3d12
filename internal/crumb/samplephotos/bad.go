package samplephotos

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// badSamples are files that must be refused, each with the code to expect.
func badSamples() []Sample {
	return []Sample{
		{Name: "bad/text.jpg", Want: "not_an_image", make: fixed("Fry the onions until they are soft, then add the tomatoes.\n")},
		{Name: "bad/empty.jpg", Want: "empty", make: fixed("")},
		{Name: "bad/truncated.jpg", Want: "truncated", make: truncatedPhoto},
		{Name: "bad/heic.jpg", Want: "heic_not_supported", make: fixed(heic)},
		{Name: "bad/photo.heic", Want: "heic_not_supported", make: fixed(heic)},
		{Name: "bad/huge-declared.jpg", Want: "too_large_dimensions", make: hugePhoto},
		{Name: "bad/png-inside.jpg", Want: "type_mismatch", make: mislabelledPhoto},
		{Name: "bad/damaged.png", Want: "corrupt", make: damagedPhoto},
	}
}

// heic is the beginning of what a phone writes: its file type box, and an empty
// metadata box.
const heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x0cmeta\x00\x00\x00\x00"

func fixed(content string) func(int, int) ([]byte, error) {
	return func(int, int) ([]byte, error) { return []byte(content), nil }
}

func truncatedPhoto(int, int) ([]byte, error) {
	file, err := encodeJPEG(paint(800, 600, soup, 0.03), 88)
	return file[:len(file)*3/5], err
}

// hugePhoto is about 100 KB and declares 65,535 × 65,535 pixels: decoded, those
// would take 12 GB.
func hugePhoto(int, int) ([]byte, error) {
	file, err := encodeJPEG(paint(800, 600, soup, 0.03), 85)
	if err != nil {
		return nil, err
	}
	frame := bytes.Index(file, []byte{0xff, 0xc0})
	if frame < 0 {
		return nil, errors.New("no frame header")
	}
	binary.BigEndian.PutUint32(file[frame+5:], 0xffffffff)
	return file, nil
}

func mislabelledPhoto(int, int) ([]byte, error) { return encodePNG(paint(160, 120, tomatoes, 0)) }

// damagedPhoto has a byte of its pixels flipped, which its checksum reveals.
func damagedPhoto(int, int) ([]byte, error) {
	file, err := encodePNG(paint(320, 240, tomatoes, 0))
	if err != nil {
		return nil, err
	}
	file[len(file)/2] ^= 0xff
	return file, nil
}
