package sampleclips

import (
	"encoding/binary"
	"fmt"
)

// Bytes of an AVI file are little-endian.
var le = binary.LittleEndian

// AVI makes the film as Motion JPEG in an AVI file.
// https://learn.microsoft.com/en-us/windows/win32/directshow/avi-riff-file-reference
func (f Film) AVI() ([]byte, error) { return f.AVIAs("MJPG") }

// AVIAs makes the same file, said to be in another codec: four letters.
func (f Film) AVIAs(codec string) ([]byte, error) {
	video := 0
	var streams []byte
	if f.Sound {
		video = 1
		streams = append(streams, list("strl", chunk("strh", streamHeader("auds", "", 1, 8000)), chunk("strf", make([]byte, 16)))...)
	}
	streams = append(streams, list("strl", chunk("strh", streamHeader("vids", codec, 1, f.Rate)), chunk("strf", f.format(codec)))...)

	var movie []byte
	for i := range f.Frames {
		frame, err := f.jpeg(i)
		if err != nil {
			return nil, err
		}
		if f.Sound {
			movie = append(movie, chunk("00wb", make([]byte, 333))...)
		}
		movie = append(movie, chunk(fmt.Sprintf("%02ddc", video), frame)...)
	}
	body := append(list("hdrl", chunk("avih", f.mainHeader()), streams), chunk("JUNK", make([]byte, 11))...)
	body = append(body, list("movi", movie)...)
	return chunk("RIFF", append([]byte("AVI "), body...)), nil
}

// chunk is four letters, a length, the content and, where that is odd, a byte more.
func chunk(id string, body []byte) []byte {
	out := le.AppendUint32([]byte(id), uint32(len(body)))
	out = append(out, body...)
	if len(body)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

func list(kind string, parts ...[]byte) []byte {
	body := []byte(kind)
	for _, part := range parts {
		body = append(body, part...)
	}
	return chunk("LIST", body)
}

func (f Film) mainHeader() []byte {
	h := make([]byte, 56)
	le.PutUint32(h, uint32(1_000_000/f.Rate))
	le.PutUint32(h[16:], uint32(f.Frames))
	le.PutUint32(h[24:], 1)
	le.PutUint32(h[32:], uint32(f.Width))
	le.PutUint32(h[36:], uint32(f.Height))
	return h
}

func streamHeader(kind, codec string, scale, rate int) []byte {
	h := make([]byte, 56)
	copy(h, kind)
	copy(h[4:], codec)
	le.PutUint32(h[20:], uint32(scale))
	le.PutUint32(h[24:], uint32(rate))
	return h
}

// format is a BITMAPINFOHEADER.
func (f Film) format(codec string) []byte {
	h := make([]byte, 40)
	le.PutUint32(h, 40)
	le.PutUint32(h[4:], uint32(f.Width))
	le.PutUint32(h[8:], uint32(f.Height))
	le.PutUint16(h[12:], 1)
	le.PutUint16(h[14:], 24)
	copy(h[16:], codec)
	return h
}
