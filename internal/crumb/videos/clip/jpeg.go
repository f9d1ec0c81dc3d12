package clip

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"sync"
)

// JPEG's markers, as far as they are looked at (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xc0 // baseline; up to SOF15, but for DHT, JPG and DAC
	markerDHT  = 0xc4
	markerSOI  = 0xd8
	markerSOS  = 0xda
)

// decodeJPEG decodes one frame of a film. Its size is looked at before its pixels
// are: the film's headers say what they like.
func decodeJPEG(src []byte, width, height int) (image.Image, error) {
	tables, err := inspectJPEG(src, width, height)
	if err != nil {
		return nil, err
	}
	if !tables {
		whole := make([]byte, 0, len(src)+len(standardTables()))
		whole = append(append(append(whole, src[:2]...), standardTables()...), src[2:]...)
		src = whole
	}
	picture, err := jpeg.Decode(bytes.NewReader(src))
	if err != nil {
		return nil, refuse(err)
	}
	return picture, nil
}

// inspectJPEG reads the segments before the pixels: whether there are Huffman
// tables, which frames of films may leave out, and that the frame is a baseline
// one of the film's size. Other kinds may take long to decode, and no film has
// them.
func inspectJPEG(src []byte, width, height int) (tables bool, err error) {
	if len(src) < 4 || src[0] != 0xff || src[1] != markerSOI {
		return false, corrupt(errors.New("a frame is no JPEG"))
	}
	sized := false
	for rest := src[2:]; ; {
		for len(rest) > 1 && rest[0] == 0xff && rest[1] == 0xff {
			rest = rest[1:] // padding
		}
		if len(rest) < 4 {
			return false, truncated(errors.New("a frame ends in its headers"))
		}
		marker, size := rest[1], 2+int(binary.BigEndian.Uint16(rest[2:]))
		if rest[0] != 0xff || size < 4 || size > len(rest) {
			return false, corrupt(errors.New("a frame's segment is broken"))
		}
		switch {
		case marker == markerSOS:
			if !sized {
				return false, corrupt(errors.New("a frame without a size"))
			}
			return tables, nil
		case marker == markerDHT:
			tables = true
		case marker >= markerSOF0 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc:
			if marker > markerSOF0+1 || size < 9 {
				return false, bad(CodeUnsupported, "the film uses a rare variant of JPEG that is not supported", nil)
			}
			h, w := int(binary.BigEndian.Uint16(rest[5:])), int(binary.BigEndian.Uint16(rest[7:]))
			if sized || w != width || h != height {
				return false, bad(CodeUnsupported, "the film's frames are not all as large as it says, or interlaced, which is not supported",
					fmt.Errorf("%d × %d, not %d × %d", w, h, width, height))
			}
			sized = true
		}
		rest = rest[size:]
	}
}

// standardTables is the DHT segment that a frame without Huffman tables means:
// those of ITU-T T.81, annex K.3. The standard library's encoder writes them.
var standardTables = sync.OnceValue(func() []byte {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 1, 1)), nil); err != nil {
		panic(err) // a pixel, to memory
	}
	at := bytes.Index(file.Bytes(), []byte{0xff, markerDHT})
	segment := file.Bytes()[at:]
	return segment[:2+int(binary.BigEndian.Uint16(segment[2:]))]
})
