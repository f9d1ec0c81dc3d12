package exports

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"
)

var packedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// written gives an archive of files, written in stretches of so many files each.
func written(t *testing.T, files []file, stretch int) []byte {
	t.Helper()
	var out bytes.Buffer
	var members []member
	for begin := 0; begin < len(files); begin += stretch {
		part := zip.NewWriter(&out)
		part.SetOffset(int64(out.Len()))
		for _, f := range files[begin:min(begin+stretch, len(files))] {
			m, packed, err := pack(f)
			if err == nil {
				err = add(part, m, packedAt, packed)
			}
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, m)
		}
	}
	if err := directory(&out, members, packedAt); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// However many stretches an archive was written in, its bytes are the same, and
// what reads zip files reads it.
func TestArchiveInStretches(t *testing.T) {
	var files []file
	for i := range 7 {
		files = append(files, file{name: fmt.Sprintf("recipes/%d.json", i), data: bytes.Repeat([]byte{'a' + byte(i)}, 1000*i)})
	}
	files = append(files, file{name: "photos/1.jpg", data: []byte{0xff, 0xd8, 0, 1, 2}, compressed: true})
	whole := written(t, files, len(files))
	for _, stretch := range []int{1, 2, 3} {
		if !bytes.Equal(written(t, files, stretch), whole) {
			t.Errorf("in stretches of %d the bytes differ", stretch)
		}
	}
	archive, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != len(files) {
		t.Fatalf("%d files, want %d", len(archive.File), len(files))
	}
	for i, f := range archive.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if !f.Modified.Equal(packedAt) {
			t.Errorf("%s is of %v, want %v", f.Name, f.Modified, packedAt)
		}
		data, err := io.ReadAll(body) // which checks the sum, too
		if err != nil || f.Name != files[i].name || !bytes.Equal(data, files[i].data) {
			t.Errorf("%s: %d bytes, %v, want %s with %d", f.Name, len(data), err, files[i].name, len(files[i].data))
		}
	}
}

// An archive of nothing is one, too.
func TestEmptyArchive(t *testing.T) {
	data := written(t, nil, 1)
	if archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err != nil || len(archive.File) != 0 {
		t.Errorf("%v", err)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte("one"), []byte("two"), true)
	f.Fuzz(func(t *testing.T, first, second []byte, compressed bool) {
		files := []file{{name: "1", data: first, compressed: compressed}, {name: "2", data: second}}
		data := written(t, files, 1)
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for i, member := range archive.File {
			body, err := member.Open()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, files[i].data) {
				t.Errorf("%s: %q, %v", member.Name, got, err)
			}
		}
	})
}
