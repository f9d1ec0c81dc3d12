package samplephotos

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// EXIF is the part of a camera's metadata that matters here.
type EXIF struct {
	Make, Model, Software string
	Taken                 time.Time
	// Orientation is 1 to 8; 0 leaves the tag out.
	Orientation int
	// Latitude and Longitude are in degrees, north and east positive.
	Latitude, Longitude float64
	// BigEndian chooses Motorola byte order instead of Intel's.
	BigEndian bool
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// An entry is one line of a TIFF directory, its value already in bytes.
type entry struct {
	tag, kind uint16
	count     int
	value     []byte
}

// Types of values (TIFF 6.0, section 2).
const (
	kindASCII    = 2
	kindShort    = 3
	kindLong     = 4
	kindRational = 5
)

// Bytes encodes the metadata as the TIFF file that EXIF is: a header, the main
// directory, and those for the exposure and the position (Exif 2.32, 4.6).
func (e EXIF) Bytes() []byte {
	var order byteOrder = binary.LittleEndian
	out := []byte("II")
	if e.BigEndian {
		order, out = binary.BigEndian, []byte("MM")
	}
	out = order.AppendUint16(out, 42)
	out = order.AppendUint32(out, 8)

	taken := e.Taken.Format("2006:01:02 15:04:05")
	exposure := []entry{
		rational(order, 0x829a, [2]uint32{1, 125}),
		rational(order, 0x829d, [2]uint32{18, 10}),
		short(order, 0x8827, 80),
		ascii(0x9003, taken),
	}
	position := []entry{
		ascii(0x0001, hemisphere(e.Latitude, "N", "S")), degrees(order, 0x0002, e.Latitude),
		ascii(0x0003, hemisphere(e.Longitude, "E", "W")), degrees(order, 0x0004, e.Longitude),
	}
	main := []entry{ascii(0x010f, e.Make), ascii(0x0110, e.Model)}
	if e.Orientation != 0 {
		main = append(main, short(order, 0x0112, e.Orientation))
	}
	main = append(main, ascii(0x0131, e.Software), ascii(0x0132, taken),
		long(order, 0x8769, 0), long(order, 0x8825, 0))
	exposureAt := 8 + directorySize(main)
	main[len(main)-2] = long(order, 0x8769, exposureAt)
	main[len(main)-1] = long(order, 0x8825, exposureAt+directorySize(exposure))
	for _, d := range [][]entry{main, exposure, position} {
		out = appendDirectory(out, order, d)
	}
	return out
}

// directorySize is how many bytes a directory and its values take.
func directorySize(entries []entry) int {
	size := 2 + 12*len(entries) + 4
	for _, e := range entries {
		if len(e.value) > 4 {
			size += len(e.value) + len(e.value)%2
		}
	}
	return size
}

// appendDirectory writes a directory at the end of out, sorted by tag; values
// that do not fit an entry come after it.
func appendDirectory(out []byte, order byteOrder, entries []entry) []byte {
	slices.SortFunc(entries, func(a, b entry) int { return int(a.tag) - int(b.tag) })
	valuesAt := len(out) + 2 + 12*len(entries) + 4
	var values []byte
	out = order.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = order.AppendUint16(out, e.tag)
		out = order.AppendUint16(out, e.kind)
		out = order.AppendUint32(out, uint32(e.count))
		if len(e.value) <= 4 {
			out = append(append(out, e.value...), make([]byte, 4-len(e.value))...)
			continue
		}
		out = order.AppendUint32(out, uint32(valuesAt+len(values)))
		values = append(append(values, e.value...), make([]byte, len(e.value)%2)...)
	}
	out = order.AppendUint32(out, 0) // no directory follows
	return append(out, values...)
}

func ascii(tag uint16, s string) entry {
	return entry{tag, kindASCII, len(s) + 1, append([]byte(s), 0)}
}

func short(order byteOrder, tag uint16, v int) entry {
	return entry{tag, kindShort, 1, order.AppendUint16(nil, uint16(v))}
}

func long(order byteOrder, tag uint16, v int) entry {
	return entry{tag, kindLong, 1, order.AppendUint32(nil, uint32(v))}
}

func rational(order byteOrder, tag uint16, parts ...[2]uint32) entry {
	e := entry{tag, kindRational, len(parts), nil}
	for _, p := range parts {
		e.value = order.AppendUint32(order.AppendUint32(e.value, p[0]), p[1])
	}
	return e
}

// degrees splits an angle into degrees, minutes and hundredths of seconds.
func degrees(order byteOrder, tag uint16, angle float64) entry {
	n := uint32(math.Round(math.Abs(angle) * 360_000))
	return rational(order, tag, [2]uint32{n / 360_000, 1}, [2]uint32{n / 6000 % 60, 1}, [2]uint32{n % 6000, 100})
}

func hemisphere(angle float64, positive, negative string) string {
	if angle < 0 {
		return negative
	}
	return positive
}
