package clip

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"
)

// An aviFilm is the video of an AVI file: the JPEGs of its frames, one after the
// other, each shown for the same time.
// https://learn.microsoft.com/en-us/windows/win32/directshow/avi-riff-file-reference
type aviFilm struct {
	width, height int
	perFrame      time.Duration
	frames        [][]byte // an empty one repeats the frame before it
}

func openAVI(_ context.Context, src []byte) (*Clip, error) {
	r := &aviReader{stream: -1}
	if err := r.chunks(src[12:], 0); err != nil {
		return nil, err
	}
	if r.stream < 0 {
		return nil, bad(CodeNotAVideo, "the file holds no film, only sound", nil)
	}
	f := &r.film
	for len(f.frames) > 0 && len(f.frames[0]) == 0 {
		f.frames = f.frames[1:] // nothing to repeat
	}
	return newClip(f, f.width, f.height, len(f.frames), time.Duration(len(f.frames))*f.perFrame)
}

func (f *aviFilm) at(t time.Duration) int { return min(int(t/f.perFrame), len(f.frames)-1) }

func (f *aviFilm) frame(_ context.Context, i int) (image.Image, error) {
	for len(f.frames[i]) == 0 {
		i-- // the first is not empty
	}
	return decodeJPEG(f.frames[i], f.width, f.height)
}

// An aviReader walks through a file's chunks.
type aviReader struct {
	film    aviFilm
	streams int // seen so far
	stream  int // the first that is video; -1 before it is known
	kind    string
}

// deepest is how many lists lie within one another.
const deepest = 4

// chunks reads a list's chunks: four letters, a length, the content, a byte of
// padding where the length is odd.
func (r *aviReader) chunks(src []byte, depth int) error {
	for len(src) >= 8 {
		id, size := string(src[:4]), int64(binary.LittleEndian.Uint32(src[4:]))
		src = src[8:]
		if size > int64(len(src)) {
			return truncated(fmt.Errorf("chunk %q of %d bytes in %d", printable(id), size, len(src)))
		}
		if err := r.chunk(id, src[:size], depth); err != nil {
			return err
		}
		src = src[min(size+size%2, int64(len(src))):]
	}
	return nil
}

func (r *aviReader) chunk(id string, body []byte, depth int) error {
	switch {
	case id == "LIST" && len(body) >= 4 && depth < deepest:
		return r.chunks(body[4:], depth+1)
	case id == "strh":
		return r.header(body)
	case id == "strf" && r.kind == "vids" && r.stream == r.streams-1:
		return r.format(body)
	case r.stream >= 0 && (id == fmt.Sprintf("%02ddc", r.stream) || id == fmt.Sprintf("%02ddb", r.stream)):
		if len(r.film.frames) > MaxFrames {
			return nil // newClip says so
		}
		r.film.frames = append(r.film.frames, body)
	}
	return nil
}

// header reads a stream's header: its kind, its codec, and how long a frame is
// shown, as the fraction scale ÷ rate of a second.
func (r *aviReader) header(body []byte) error {
	if len(body) < 28 {
		return corrupt(errors.New("a stream's header is too short"))
	}
	r.kind = string(body[:4])
	r.streams++
	if r.kind != "vids" || r.stream >= 0 {
		return nil
	}
	r.stream = r.streams - 1
	scale, rate := int64(binary.LittleEndian.Uint32(body[20:])), int64(binary.LittleEndian.Uint32(body[24:]))
	if scale == 0 || rate == 0 {
		return corrupt(fmt.Errorf("%d/%d frames a second", rate, scale))
	}
	r.film.perFrame = time.Duration(float64(scale) / float64(rate) * float64(time.Second))
	if r.film.perFrame < time.Second/1000 || r.film.perFrame > MaxDuration {
		return corrupt(fmt.Errorf("%d/%d frames a second", rate, scale))
	}
	return nil
}

// format reads the video's BITMAPINFOHEADER.
func (r *aviReader) format(body []byte) error {
	if len(body) < 20 {
		return corrupt(errors.New("a video's format is too short"))
	}
	if codec := string(body[16:20]); !strings.EqualFold(codec, "MJPG") {
		return bad(CodeUnsupported, fmt.Sprintf("the film is coded as %q, which is not supported; please save it as Motion JPEG", printable(codec)), nil)
	}
	r.film.width = int(int32(binary.LittleEndian.Uint32(body[4:])))
	r.film.height = max(int(int32(binary.LittleEndian.Uint32(body[8:]))), -int(int32(binary.LittleEndian.Uint32(body[8:]))))
	return nil
}
