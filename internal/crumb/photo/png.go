package photo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/png"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// inspectPNG reads a PNG's header, and its colour profile and EXIF data if it
// has them (PNG specification, third edition, 11.3.2.3 and 11.3.4.5).
func inspectPNG(src []byte) (info, error) {
	config, err := png.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return info{}, refuse(err)
	}
	in := info{width: config.Width, height: config.Height, orientation: 1}
	pixels := int64(in.width) * int64(in.height)
	walkPNG(src, func(kind string, data []byte) {
		switch {
		case kind == "IHDR" && len(data) == 13 && in.memory == 0:
			in.memory = pixels * pngBytesPerPixel(data)
		case kind == "iCCP" && in.profile == nil:
			in.profile = unpackProfile(data)
		case kind == "eXIf":
			in.orientation = exifOrientation(data)
		}
	})
	return in, nil
}

func decodePNG(r io.Reader, _ info) (image.Image, error) { return png.Decode(r) }

// pngBytesPerPixel is the most that image/png holds for a pixel: four samples
// of one or two bytes, and as much again for the last pass of an interlaced one.
func pngBytesPerPixel(ihdr []byte) int64 {
	depth, interlaced := ihdr[8], ihdr[12] != 0
	n := int64(4)
	if depth == 16 {
		n = 8
	}
	if interlaced {
		n *= 2
	}
	return n
}

// walkPNG calls visit for each chunk as far as the file is sound.
func walkPNG(src []byte, visit func(kind string, data []byte)) {
	rest := src[min(len(pngSignature), len(src)):]
	for len(rest) >= 12 {
		n := uint64(binary.BigEndian.Uint32(rest))
		if n > uint64(len(rest)-12) {
			return
		}
		visit(string(rest[4:8]), rest[8:8+n])
		rest = rest[12+n:]
	}
}

// unpackProfile reads an iCCP chunk: a name, a zero, a method, and the profile
// compressed. One that would unpack to more than maxProfile is dropped.
func unpackProfile(chunk []byte) []byte {
	_, rest, ok := bytes.Cut(chunk, []byte{0})
	if !ok || len(rest) < 1 || rest[0] != 0 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(rest[1:]))
	if err != nil {
		return nil // a profile that cannot be read is as good as none
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err != nil || len(profile) > maxProfile {
		return nil
	}
	return profile
}
