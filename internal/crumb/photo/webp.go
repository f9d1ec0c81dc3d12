package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/webp"
)

// inspectWebP reads a WebP's chunks (RFC 9649, 2.3 to 2.7).
func inspectWebP(src []byte) (info, error) {
	in := info{orientation: 1}
	animated, lossless := false, false
	walkWebP(src, func(kind string, data []byte) {
		switch kind {
		case "VP8X":
			animated = animated || len(data) > 0 && data[0]&2 != 0
		case "VP8L", "ALPH":
			lossless = true
		case "ICCP":
			if in.profile == nil && len(data) <= maxProfile {
				in.profile = data
			}
		case "EXIF":
			in.orientation = exifOrientation(bytes.TrimPrefix(data, []byte("Exif\x00\x00")))
		}
	})
	if animated {
		return info{}, bad(CodeUnsupported, "animated WebP pictures are not supported; please save it as JPEG", nil)
	}
	config, err := webp.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return info{}, refuse(err)
	}
	in.width, in.height = config.Width, config.Height
	pixels := int64(in.width) * int64(in.height)
	in.memory = 2 * pixels
	if lossless {
		// Two copies of its pixels, and the Huffman trees: at most 2,600
		// groups of them, of 72 KiB each.
		in.memory = 8*pixels + 2600*(72<<10)
	}
	return in, nil
}

func decodeWebP(r io.Reader, _ info) (image.Image, error) { return webp.Decode(r) }

// walkWebP calls visit for each chunk as far as the file is sound.
func walkWebP(src []byte, visit func(kind string, data []byte)) {
	rest := src[min(12, len(src)):]
	for len(rest) >= 8 {
		n := uint64(binary.LittleEndian.Uint32(rest[4:]))
		if n > uint64(len(rest)-8) {
			n = uint64(len(rest) - 8)
		}
		visit(string(rest[:4]), rest[8:8+n])
		rest = rest[min(8+n+n&1, uint64(len(rest))):]
	}
}
