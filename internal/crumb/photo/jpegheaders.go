package photo

import (
	"bytes"
	"encoding/binary"
)

// jpegHeaders is what a JPEG's marker segments (ITU-T T.81, annex B) say.
type jpegHeaders struct {
	frame          jpegFrame
	scans          int
	ended          bool // the end marker was found
	adobe          bool
	adobeTransform byte
	exif           []byte
	profile        profileChunks
}

type jpegFrame struct {
	width, height int
	progressive   bool
	components    []jpegComponent
}

type jpegComponent struct {
	id      byte
	h, v    int  // sampling factors
	scanned bool // a scan gives it at least its plain areas
}

const (
	markerSOF0  = 0xc0
	markerSOF2  = 0xc2
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP14 = 0xee
)

// walkJPEG reads all segments up to the end marker, or as far as it can.
func walkJPEG(src []byte) *jpegHeaders {
	h := new(jpegHeaders)
	rest := src[min(2, len(src)):]
	for {
		marker, after, ok := nextMarker(rest)
		if !ok {
			return h
		}
		if marker == markerEOI {
			h.ended = true
			return h
		}
		if len(after) < 2 {
			return h
		}
		n := int(binary.BigEndian.Uint16(after))
		if n < 2 || n > len(after) {
			return h
		}
		h.segment(marker, after[2:n])
		rest = after[n:]
	}
}

// nextMarker finds the next marker that begins a segment, and returns what
// comes after it. Entropy-coded data, fill bytes and restarts are skipped.
func nextMarker(b []byte) (marker byte, after []byte, ok bool) {
	for {
		i := bytes.IndexByte(b, 0xff)
		if i < 0 || i+1 >= len(b) {
			return 0, nil, false
		}
		m := b[i+1]
		switch {
		case m == 0xff:
			b = b[i+1:]
		case m == 0 || m >= markerRST0 && m <= markerRST7:
			b = b[i+2:]
		default:
			return m, b[i+2:], true
		}
	}
}

func (h *jpegHeaders) segment(marker byte, data []byte) {
	switch marker {
	case markerSOF0, markerSOF0 + 1, markerSOF2:
		if h.frame.components == nil {
			h.readFrame(data, marker == markerSOF2)
		}
	case markerSOS:
		h.readScan(data)
	case markerAPP1:
		if tiff, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00")); ok && h.exif == nil {
			h.exif = tiff
		}
	case markerAPP2:
		if chunk, ok := bytes.CutPrefix(data, []byte(iccMark)); ok {
			h.profile.add(chunk)
		}
	case markerAPP14:
		if len(data) >= 12 && bytes.HasPrefix(data, []byte("Adobe")) {
			h.adobe, h.adobeTransform = true, data[11]
		}
	}
}

// readFrame reads a frame header (B.2.2).
func (h *jpegHeaders) readFrame(data []byte, progressive bool) {
	if len(data) < 6 || len(data) != 6+3*int(data[5]) {
		return
	}
	h.frame = jpegFrame{
		height:      int(binary.BigEndian.Uint16(data[1:])),
		width:       int(binary.BigEndian.Uint16(data[3:])),
		progressive: progressive,
	}
	for c := data[6:]; len(c) >= 3; c = c[3:] {
		h.frame.components = append(h.frame.components, jpegComponent{id: c[0], h: int(c[1] >> 4), v: int(c[1] & 15)})
	}
}

// readScan reads a scan header (B.2.3) and notes which components it serves.
func (h *jpegHeaders) readScan(data []byte) {
	h.scans++
	if len(data) < 1 || len(data) != 4+2*int(data[0]) {
		return
	}
	n := int(data[0])
	if startOfBand := data[1+2*n]; h.frame.progressive && startOfBand != 0 {
		return
	}
	for i := range n {
		for j := range h.frame.components {
			if c := &h.frame.components[j]; c.id == data[1+2*i] {
				c.scanned = true
			}
		}
	}
}
