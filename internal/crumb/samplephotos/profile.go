package samplephotos

import (
	"encoding/binary"
	"math"
)

// Profile returns an ICC display profile (ICC.1:2022) with the primaries of
// Display P3 and a gamma of 2.2, followed by as much padding as asked for: one
// of more than 65,519 bytes takes several segments of a JPEG.
func Profile(padding int) []byte {
	u32 := binary.BigEndian.AppendUint32
	fixed := func(b []byte, v float64) []byte { return u32(b, uint32(int32(math.Round(v*65536)))) }
	xyz := func(x, y, z float64) []byte { return fixed(fixed(fixed([]byte("XYZ \x00\x00\x00\x00"), x), y), z) }
	curve := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33\x00\x00") // one u8Fixed8: 2.2
	name := "Sample Display"
	desc := u32([]byte("desc\x00\x00\x00\x00"), uint32(len(name)+1))
	desc = append(append(desc, name...), make([]byte, 1+4+4+2+1+67)...)

	tags := []struct {
		name string
		data []byte
	}{
		{"desc", desc}, {"cprt", []byte("text\x00\x00\x00\x00Public domain\x00")}, {"wtpt", xyz(0.9642, 1, 0.8249)},
		{"rXYZ", xyz(0.5151, 0.2412, -0.0011)}, {"gXYZ", xyz(0.2920, 0.6922, 0.0419)}, {"bXYZ", xyz(0.1571, 0.0666, 0.7841)},
		{"rTRC", curve}, {"gTRC", curve}, {"bTRC", curve},
	}
	table := u32(nil, uint32(len(tags)))
	var values []byte
	at := 128 + 4 + 12*len(tags)
	for _, t := range tags {
		table = u32(u32(append(table, t.name...), uint32(at+len(values))), uint32(len(t.data)))
		values = append(append(values, t.data...), make([]byte, -len(t.data)&3)...)
	}
	for i := range padding {
		values = append(values, byte(hash(i, 0, 1)*256))
	}
	header := make([]byte, 128)
	binary.BigEndian.PutUint32(header, uint32(at+len(values)))
	copy(header[8:], "\x02\x10\x00\x00mntrRGB XYZ ")
	copy(header[24:], []byte{0x07, 0xe8, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0})
	copy(header[36:], "acsp")
	copy(header[68:], xyz(0.9642, 1, 0.8249)[8:])
	return append(append(header, table...), values...)
}

// ProfileSegments splits a profile into the segments that a JPEG holds it in.
func ProfileSegments(profile []byte) []Segment {
	const part = 65519
	count := (len(profile) + part - 1) / part
	var segments []Segment
	for n := range count {
		data := append([]byte("ICC_PROFILE\x00"), byte(n+1), byte(count))
		segments = append(segments, Segment{0xe2, append(data, profile[n*part:min((n+1)*part, len(profile))]...)})
	}
	return segments
}
