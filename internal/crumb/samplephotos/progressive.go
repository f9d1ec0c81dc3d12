package samplephotos

import (
	"errors"
	"image"
	"image/color"
)

// Progressive encodes a picture as a progressive JPEG (ITU-T T.81, annex G):
// first the plain areas of all components, then the details of each.
func Progressive(img image.Image) ([]byte, error) {
	b := img.Bounds()
	var planes [3]*image.Gray
	for i := range planes {
		planes[i] = image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	}
	for i := range planes[0].Pix {
		c := color.YCbCrModel.Convert(img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx())).(color.YCbCr)
		planes[0].Pix[i], planes[1].Pix[i], planes[2].Pix[i] = c.Y, c.Cb, c.Cr
	}
	out := []byte{0xff, 0xd8}
	var details []byte
	for i, component := range planes {
		p, err := encodePlane(component)
		if err != nil {
			return nil, err
		}
		plain, detail, err := p.split()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, t := range append(p.tables, p.frame(0xc2, 3)) {
				out = t.appendTo(out)
			}
		}
		out = append(scan(i, 0, 0).appendTo(out), plain...)
		details = append(scan(i, 1, 63).appendTo(details), detail...)
	}
	return append(append(out, details...), 0xff, 0xd9), nil
}

// split sorts the codes of a sequential scan: the first coefficient of each
// block belongs to the one progressive scan, the others to the second. The
// codes themselves are the same in both modes.
func (p plane) split() (plain, detail []byte, err error) {
	tables := p.huffman()
	in := bitReader{src: p.entropy}
	var dc, ac bitWriter
	blocks := ((p.width + 7) / 8) * ((p.height + 7) / 8)
	for range blocks {
		if _, err := in.copyCode(&dc, tables[0x00], 15); err != nil {
			return nil, nil, err
		}
		for k := 1; k < 64; {
			symbol, err := in.copyCode(&ac, tables[0x10], 15)
			if err != nil {
				return nil, nil, err
			}
			if symbol == 0 { // end of block
				break
			}
			k += int(symbol>>4) + 1
		}
	}
	return dc.close(), ac.close(), nil
}

// A code is a Huffman code's length and bits.
type code struct{ length, bits int }

// huffman reads the tables, by class and number (T.81, B.2.4.2 and annex C).
func (p plane) huffman() map[byte]map[code]byte {
	tables := make(map[byte]map[code]byte)
	for _, s := range p.tables {
		for d := s.Data; s.Marker == 0xc4 && len(d) > 17; {
			table, symbols, bits := make(map[code]byte), d[17:], 0
			for length := 1; length <= 16; length++ {
				for range d[length] {
					table[code{length, bits}] = symbols[0]
					symbols = symbols[1:]
					bits++
				}
				bits <<= 1
			}
			tables[d[0]], d = table, symbols
		}
	}
	return tables
}

// A bitReader reads entropy-coded data, where a zero is stuffed after 0xff.
type bitReader struct {
	src  []byte
	left int // unread bits of src[0]
}

func (r *bitReader) bit() (int, error) {
	if r.left == 0 {
		r.left = 8
	}
	if len(r.src) == 0 {
		return 0, errors.New("a scan ends early")
	}
	r.left--
	bit := int(r.src[0]>>r.left) & 1
	if r.left == 0 {
		skip := 1
		if r.src[0] == 0xff {
			skip = 2
		}
		r.src = r.src[min(skip, len(r.src)):]
	}
	return bit, nil
}

// copyCode copies a code and the bits that follow it, whose number is in the
// bits of the symbol that mask picks. It returns the symbol.
func (r *bitReader) copyCode(w *bitWriter, table map[code]byte, mask byte) (byte, error) {
	for c := (code{}); c.length < 16; {
		bit, err := r.bit()
		if err != nil {
			return 0, err
		}
		w.write(bit)
		c = code{c.length + 1, c.bits<<1 | bit}
		symbol, ok := table[c]
		if !ok {
			continue
		}
		for range symbol & mask {
			if bit, err = r.bit(); err != nil {
				return 0, err
			}
			w.write(bit)
		}
		return symbol, nil
	}
	return 0, errors.New("not a Huffman code")
}

type bitWriter struct {
	out     []byte
	pending byte
	n       int
}

func (w *bitWriter) write(bit int) {
	w.pending = w.pending<<1 | byte(bit)
	if w.n++; w.n < 8 {
		return
	}
	w.out = append(w.out, w.pending)
	if w.pending == 0xff {
		w.out = append(w.out, 0)
	}
	w.pending, w.n = 0, 0
}

// close fills up the last byte with ones.
func (w *bitWriter) close() []byte {
	for w.n != 0 {
		w.write(1)
	}
	return w.out
}
