package exports

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// A member is one file of an archive as its directory has it. Archives are written
// by several runs, and the directory comes last: until then each run leaves what
// it wrote as rows. Key: export#<id>, member#<number>.
type member struct {
	Name   string `dynamodbav:"name"`
	Method uint16 `dynamodbav:"method"`
	CRC    uint32 `dynamodbav:"crc"`
	Size   uint64 `dynamodbav:"size"`
	Packed uint64 `dynamodbav:"packed"`
}

func (m member) header(at time.Time) *zip.FileHeader {
	header := &zip.FileHeader{
		Name: m.Name, Method: m.Method, CRC32: m.CRC, UncompressedSize64: m.Size, CompressedSize64: m.Packed,
	}
	//lint:ignore SA1019 CreateRaw writes the date as it stands in the header, and does not look at Modified
	header.SetModTime(at)
	return header
}

// pack makes a member of a file. Photographs are compressed already.
func pack(f file) (member, []byte, error) {
	m := member{Name: f.name, Method: zip.Deflate, CRC: crc32.ChecksumIEEE(f.data), Size: uint64(len(f.data))}
	if f.compressed {
		m.Method, m.Packed = zip.Store, m.Size
		return m, f.data, nil
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(f.data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return member{}, nil, fmt.Errorf("exports: packing %s: %w", f.name, err)
	}
	m.Packed = uint64(packed.Len())
	return m, packed.Bytes(), nil
}

// add writes a member to a stretch of an archive.
func add(w *zip.Writer, m member, at time.Time, packed []byte) error {
	body, err := w.CreateRaw(m.header(at))
	if err == nil {
		_, err = body.Write(packed)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("exports: writing %s: %w", m.Name, err)
	}
	return nil
}

// directory writes the end of an archive whose members lie in front of it already.
// The writer of package zip has to see all of an archive: the members pass by once
// more, as many zeros, and what lies before the directory is thrown away.
func directory(w io.Writer, members []member, at time.Time) error {
	all := &skipper{to: w}
	archive := zip.NewWriter(all)
	for _, m := range members {
		body, err := archive.CreateRaw(m.header(at))
		if err == nil {
			_, err = io.CopyN(body, zeros{}, int64(m.Packed))
		}
		if err == nil {
			err = archive.Flush()
		}
		if err != nil {
			return fmt.Errorf("exports: writing the directory: %w", err)
		}
	}
	all.open = true
	if err := archive.Close(); err != nil {
		return fmt.Errorf("exports: writing the directory: %w", err)
	}
	return nil
}

// A skipper throws away what is written before it is open.
type skipper struct {
	to   io.Writer
	open bool
}

func (s *skipper) Write(data []byte) (int, error) {
	if !s.open {
		return len(data), nil
	}
	return s.to.Write(data)
}

// zeros never end.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}
