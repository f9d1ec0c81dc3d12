package photo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
)

const (
	// maxProfile is the largest colour profile that is kept. Those of cameras
	// and displays have a few kilobytes.
	maxProfile = 4 << 20
	// iccMark begins each APP2 segment that holds a part of a profile.
	iccMark = "ICC_PROFILE\x00"
	// iccPart is the most of a profile that one segment holds: 65,535 bytes
	// less its length, the mark, and the part's number and count.
	iccPart = 65535 - 2 - len(iccMark) - 2
)

// profileChunks are the parts of a profile in a JPEG (ICC.1:2022, annex B.4):
// each begins with its number, from 1, and how many there are.
type profileChunks struct {
	parts map[byte][]byte
	count byte
}

func (p *profileChunks) add(chunk []byte) {
	if len(chunk) < 2 {
		return
	}
	if p.parts == nil {
		p.parts = make(map[byte][]byte)
	}
	p.parts[chunk[0]], p.count = chunk[2:], chunk[1]
}

// join returns the whole profile, or nil if there is none or a part is missing.
func (p *profileChunks) join() []byte {
	var whole []byte
	for n := 1; n <= int(p.count); n++ {
		part, ok := p.parts[byte(n)]
		if !ok || len(whole)+len(part) > maxProfile {
			return nil
		}
		whole = append(whole, part...)
	}
	return whole
}

// Colour spaces of profiles (ICC.1:2022, table 19).
const (
	spaceRGB  = "RGB "
	spaceGrey = "GRAY"
)

// profileSpace returns the colour space that a profile describes, or "" if it
// is no profile. A CMYK profile is no use for what has become RGB.
func profileSpace(p []byte) string {
	if len(p) < 132 || uint64(binary.BigEndian.Uint32(p)) > uint64(len(p)) || string(p[36:40]) != "acsp" {
		return ""
	}
	return string(p[16:20])
}

// withJPEGProfile puts a profile right after the start marker of a JPEG.
func withJPEGProfile(file, profile []byte) []byte {
	count := (len(profile) + iccPart - 1) / iccPart
	out := bytes.NewBuffer(make([]byte, 0, len(file)+len(profile)+count*32))
	out.Write(file[:2])
	for n := 1; len(profile) > 0; n++ {
		part := profile[:min(len(profile), iccPart)]
		profile = profile[len(part):]
		out.Write([]byte{0xff, markerAPP2})
		out.Write(binary.BigEndian.AppendUint16(nil, uint16(2+len(iccMark)+2+len(part))))
		out.WriteString(iccMark)
		out.Write([]byte{byte(n), byte(count)})
		out.Write(part)
	}
	out.Write(file[2:])
	return out.Bytes()
}

// withPNGProfile puts a profile right after the header chunk of a PNG, where
// it stands before palette and pixels.
func withPNGProfile(file, profile []byte) ([]byte, error) {
	var packed bytes.Buffer
	packed.WriteString("iCCPICC profile\x00\x00")
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(profile); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	const header = len(pngSignature) + 12 + 13
	out := append([]byte(nil), file[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(packed.Len()-4))
	out = append(out, packed.Bytes()...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(packed.Bytes()))
	return append(out, file[header:]...), nil
}
