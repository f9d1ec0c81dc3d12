package clip

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
)

// A GIF is a header, a block for each picture, and an end: the blocks of several
// pictures can be kept, and put together later.
// https://www.w3.org/Graphics/GIF/spec-gif89a.txt

// header begins a GIF that is shown over and over.
func header(width, height int) []byte {
	b := []byte("GIF89a")
	b = binary.LittleEndian.AppendUint16(b, uint16(width))
	b = binary.LittleEndian.AppendUint16(b, uint16(height))
	b = append(b, 0x70, 0, 0) // no colour table for all; eight bits a colour
	return append(b, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"...)
}

// trailer ends a GIF.
const trailer = 0x3b

// appendPicture adds a picture that is shown for some ticks and stays until the next
// one is drawn over it.
func appendPicture(file []byte, p *palette, indices []byte, width, height, ticks int) []byte {
	const keep, hasTransparent = 1 << 2, 1
	file = append(file, 0x21, 0xf9, 4, keep|hasTransparent)
	file = binary.LittleEndian.AppendUint16(file, uint16(ticks*int(tick.Milliseconds())/10))
	file = append(file, transparent, 0)
	file = append(file, 0x2c, 0, 0, 0, 0)
	file = binary.LittleEndian.AppendUint16(file, uint16(width))
	file = binary.LittleEndian.AppendUint16(file, uint16(height))
	file = append(file, 0x87) // a table of 256 colours follows
	for _, colour := range p.colours {
		file = append(file, colour[:]...)
	}
	const width8 = 8
	file = append(file, width8)
	var packed bytes.Buffer
	codes := lzw.NewWriter(&packed, lzw.LSB, width8)
	_, writeErr := codes.Write(indices)
	if closeErr := codes.Close(); writeErr != nil || closeErr != nil {
		panic("clip: bytes of eight bits, written to memory, were refused")
	}
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 255)
		file = append(append(file, byte(n)), rest[:n]...)
		rest = rest[n:]
	}
	return append(file, 0)
}
