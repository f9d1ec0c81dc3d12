package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"mime"
)

// A format is one kind of file that can be read.
type format struct {
	name, contentType string
	// inspect reads what the file declares, without decoding a pixel.
	inspect func(src []byte) (info, error)
	// decode reads the pixels of a file that inspect has passed.
	decode func(r io.Reader, in info) (image.Image, error)
}

// identify finds the format by content, and refuses what is not readable or
// not what it was declared to be.
func identify(src []byte, declared string) (format, error) {
	if len(src) == 0 {
		return format{}, bad(CodeEmpty, "the file is empty", nil)
	}
	var f format
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xd8")):
		f = format{"JPEG", "image/jpeg", inspectJPEG, decodeJPEG}
	case bytes.HasPrefix(src, []byte(pngSignature)):
		f = format{"PNG", "image/png", inspectPNG, decodePNG}
	case bytes.HasPrefix(src, []byte("GIF87a")), bytes.HasPrefix(src, []byte("GIF89a")):
		f = format{"GIF", "image/gif", inspectGIF, decodeGIF}
	case len(src) >= 12 && string(src[:4]) == "RIFF" && string(src[8:12]) == "WEBP":
		f = format{"WebP picture", "image/webp", inspectWebP, decodeWebP}
	default:
		return format{}, unreadable(src)
	}
	return f, f.checkDeclared(declared)
}

// checkDeclared refuses a declared media type that is not the format's own.
func (f format) checkDeclared(declared string) error {
	if declared == "" {
		return nil
	}
	claim, _, err := mime.ParseMediaType(declared)
	if err != nil {
		return bad(CodeTypeMismatch, "the type that the file was declared to have is not a media type", err)
	}
	switch claim {
	case f.contentType, "application/octet-stream", "binary/octet-stream":
		return nil
	case "image/jpg", "image/pjpeg": // what some browsers and cameras say
		if f.contentType == "image/jpeg" {
			return nil
		}
	}
	return bad(CodeTypeMismatch, fmt.Sprintf("the file says %.60s but holds a %s", claim, f.name), nil)
}

// unreadable says what src is instead of a readable picture.
func unreadable(src []byte) error {
	if err := checkBrands(src); err != nil {
		return err
	}
	for _, k := range []struct{ prefix, name string }{
		{"II*\x00", "TIFF"}, {"MM\x00*", "TIFF"}, {"8BPS", "Photoshop"}, {"\x00\x00\x01\x00", "icon"},
		{"\xff\x0a", "JPEG XL"}, {"\x00\x00\x00\x0cJXL ", "JPEG XL"}, {"\x00\x00\x00\x0cjP  ", "JPEG 2000"},
	} {
		if bytes.HasPrefix(src, []byte(k.prefix)) {
			return bad(CodeUnsupported, k.name+" pictures are not supported; please save it as JPEG", nil)
		}
	}
	head := bytes.TrimPrefix(src[:min(len(src), 1024)], []byte("\xef\xbb\xbf")) // a byte order mark
	switch {
	case len(src) > 14 && string(src[:2]) == "BM" && binary.LittleEndian.Uint32(src[6:]) == 0:
		return bad(CodeUnsupported, "BMP pictures are not supported; please save it as JPEG", nil)
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) && bytes.Contains(head, []byte("<svg")):
		return bad(CodeUnsupported, "SVG drawings are not supported; please save it as JPEG", nil)
	}
	return bad(CodeNotAnImage, "the file is not a picture", nil)
}

// checkBrands reads the file type box with which files of the ISO base media
// family begin (ISO/IEC 14496-12, 4.3) and refuses those that it knows.
func checkBrands(src []byte) error {
	if len(src) < 12 || string(src[4:8]) != "ftyp" {
		return nil
	}
	end := min(uint64(binary.BigEndian.Uint32(src)), uint64(len(src)), 256)
	verdict := bad(CodeNotAnImage, "the file is a video or sound, not a picture", nil)
	for i := uint64(8); i+4 <= max(end, 12); i += 4 {
		switch string(src[i : i+4]) {
		case "avif", "avis":
			return bad(CodeUnsupported, "AVIF pictures are not supported; please save it as JPEG", nil)
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs", "mif1", "mif2", "msf1":
			// AVIF files carry mif1 as well, so look on.
			verdict = bad(CodeHEIC, "HEIC pictures are not supported; please save it as JPEG "+
				"(on an iPhone: Settings, Camera, Formats, Most Compatible)", nil)
		}
	}
	return verdict
}
