package samplephotos

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
)

func TestExifIsReadBack(t *testing.T) {
	blank := image.NewGray(image.Rect(0, 0, 8, 8))
	file, err := encodeJPEG(blank, 80)
	if err != nil {
		t.Fatal(err)
	}
	for o := 1; o <= 8; o++ {
		for _, bigEndian := range []bool{false, true} {
			exif := camera(o)
			exif.BigEndian = bigEndian
			got := photo.Orientation(WithSegments(file, Segment{0xe1, append([]byte("Exif\x00\x00"), exif.Bytes()...)}))
			if got != o {
				t.Errorf("orientation %d, big endian %v, is read as %d", o, bigEndian, got)
			}
		}
	}
}

// The whole EXIF block, byte by byte as the standard lays it out.
func TestExifLayout(t *testing.T) {
	e := EXIF{Make: "Crumb", Taken: time.Date(2024, 5, 17, 12, 30, 5, 0, time.UTC), Orientation: 6, Latitude: -52.5, Longitude: 13.25}
	b := e.Bytes()
	for _, want := range []string{
		"II*\x00\x08\x00\x00\x00\x07\x00",                                  // header, seven entries
		"\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00",                 // orientation 6, inline
		"\x01\x00\x02\x00\x02\x00\x00\x00S\x00\x00\x00",                    // south, inline
		"\x34\x00\x00\x00\x01\x00\x00\x00\x1e\x00\x00\x00\x01\x00\x00\x00", // 52 degrees, 30 minutes
		"\x0d\x00\x00\x00\x01\x00\x00\x00\x0f\x00\x00\x00\x01\x00\x00\x00", // 13 degrees, 15 minutes
		"2024:05:17 12:30:05\x00",
	} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("%q is missing from %q", want, b)
		}
	}
}

// Each sign that was stored turned comes out as it was painted.
func TestSignsComeOutUpright(t *testing.T) {
	for o := 1; o <= 8; o++ {
		s, err := Named(fmt.Sprintf("orientation-%d.jpg", o))
		if err != nil {
			t.Fatal(err)
		}
		s.Width, s.Height = 240, 320
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		if got := photo.Orientation(data); got != o {
			t.Errorf("%s declares %d", s.Name, got)
		}
		result, err := photo.Resize(context.Background(), data, s.ContentType())
		if err != nil {
			t.Fatal(err)
		}
		large, err := jpeg.Decode(bytes.NewReader(result.Images[3].Data))
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(large, paint(240, 320, sign(o), 0)); d > 8 {
			t.Errorf("%s differs by %.1f from what was painted", s.Name, d)
		}
	}
}

// difference is the mean difference of brightness, of 255.
func difference(a, b image.Image) float64 {
	x, y := toGrey(a), toGrey(b)
	if x.Rect != y.Rect {
		return 255
	}
	sum := 0
	for i := range x.Pix {
		sum += max(int(x.Pix[i])-int(y.Pix[i]), int(y.Pix[i])-int(x.Pix[i]))
	}
	return float64(sum) / float64(len(x.Pix))
}

func TestProgressiveShowsTheSamePicture(t *testing.T) {
	img := paint(150, 100, soup, 0)
	file, err := Progressive(img)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file, []byte{0xff, 0xc2}) {
		t.Error("the file is not progressive")
	}
	got, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(got, img); d > 2 {
		t.Errorf("differs by %.1f", d)
	}
}

func TestSamplesAreTheSameEveryTime(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range All() {
		if seen[s.Name] {
			t.Errorf("two samples named %s", s.Name)
		}
		seen[s.Name] = true
		if s.Width > 500 {
			s.Width, s.Height = s.Width/4, s.Height/4
		}
		first, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s differs", s.Name)
		}
	}
	if _, err := Named("no such"); err == nil {
		t.Error("a sample that does not exist was found")
	}
}

func TestHugePhotoIsSmall(t *testing.T) {
	s, err := Named("bad/huge-declared.jpg")
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width != 65535 || config.Height != 65535 || len(data) > 150_000 {
		t.Errorf("%d bytes declare %d × %d (%v)", len(data), config.Width, config.Height, err)
	}
}

func TestWrite(t *testing.T) {
	if underRace {
		t.Skip("painting every sample in full takes a minute; the painter is raced by TestSamplesAreTheSameEveryTime")
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files != len(All()) {
		t.Errorf("%d files written of %d (%v)", files, len(All()), err)
	}
	if err := Write(filepath.Join(dir, "soup.jpg")); err == nil {
		t.Error("a file was taken for a folder")
	}
}
