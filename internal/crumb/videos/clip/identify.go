package clip

import (
	"bytes"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// identify finds the kind of file by content.
func identify(src []byte) (kind, error) {
	switch {
	case len(src) == 0:
		return kind{}, bad(CodeEmpty, "the file is empty", nil)
	case bytes.HasPrefix(src, []byte("GIF87a")), bytes.HasPrefix(src, []byte("GIF89a")):
		return kind{name: "an animated GIF", types: []string{"image/gif"}, open: openGIF}, nil
	case len(src) >= 12 && string(src[:4]) == "RIFF" && string(src[8:12]) == "AVI ":
		return kind{name: "an AVI film", types: tasks.FilmTypes(), open: openAVI}, nil
	}
	for _, other := range []struct {
		at           int
		prefix, name string
	}{
		{4, "ftyp", "MP4 and MOV"}, {0, "\x1aE\xdf\xa3", "WebM and Matroska"}, {0, "FLV\x01", "Flash"},
		{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"}, {0, "\x00\x00\x01\xba", "MPEG"}, {0, "\x00\x00\x01\xb3", "MPEG"},
		{0, "OggS", "Ogg"}, {4, "moov", "MOV"}, {4, "mdat", "MOV"},
	} {
		if len(src) > other.at && bytes.HasPrefix(src[other.at:], []byte(other.prefix)) {
			return kind{}, bad(CodeUnsupported, other.name+" films are not supported; please save it as Motion JPEG in an AVI file, or as an animated GIF", nil)
		}
	}
	return kind{}, bad(CodeNotAVideo, "the file is not a film", nil)
}

// printable gives a codec's four letters, for a message.
func printable(fourCC string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, fourCC)
}
