package photo_test

import (
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

// What is stored has the quarters A B above C D. The orientation says where
// its first row and its first column belong (Exif 2.32, tag 274).
var uprights = map[int]string{
	1: "ABCD", // top, left
	2: "BADC", // top, right
	3: "DCBA", // bottom, right
	4: "CDAB", // bottom, left
	5: "ACBD", // left, top
	6: "CADB", // right, top
	7: "DBCA", // right, bottom
	8: "BDAC", // left, bottom
}

func TestOrientationIsApplied(t *testing.T) {
	stored := quarters(240, 160, "ABCD")
	for o, want := range uprights {
		for _, bigEndian := range []bool{false, true} {
			exif := samplephotos.EXIF{Make: "x", Model: "y", Orientation: o, BigEndian: bigEndian}
			files := map[string][]byte{
				"JPEG": samplephotos.WithSegments(asJPEG(t, stored), exifSegment(exif)),
				"PNG":  withChunks(asPNG(t, stored), pngChunk("eXIf", exif.Bytes())),
			}
			for name, file := range files {
				t.Run(fmt.Sprintf("%d %s %v", o, name, bigEndian), func(t *testing.T) {
					if got := photo.Orientation(file); got != o {
						t.Fatalf("orientation read as %d", got)
					}
					checkUpright(t, resize(t, file), o, want)
				})
			}
		}
	}
}

func checkUpright(t *testing.T, result photo.Result, orientation int, want string) {
	t.Helper()
	w, h := 240, 160
	if orientation >= 5 {
		w, h = h, w
	}
	if large := result.Images[3]; large.Width != w || large.Height != h {
		t.Errorf("large is %d × %d, want %d × %d", large.Width, large.Height, w, h)
	}
	for _, i := range result.Images {
		img := open(t, i.Data)
		if got := lettersOf(img); got != want {
			t.Errorf("%s shows %s, want %s", i.Name, got, want)
		}
		if b := img.Bounds(); b.Dx() != i.Width || b.Dy() != i.Height {
			t.Errorf("%s is %v, said to be %d × %d", i.Name, b, i.Width, i.Height)
		}
	}
}

// What came out upright stays so when it comes in again.
func TestTheSecondTimeNothingIsTurned(t *testing.T) {
	for o, want := range uprights {
		exif := samplephotos.EXIF{Make: "x", Orientation: o}
		once := resize(t, samplephotos.WithSegments(asJPEG(t, quarters(240, 160, "ABCD")), exifSegment(exif))).Images[3]
		twice := resize(t, once.Data).Images[3]
		if got := lettersOf(open(t, twice.Data)); got != want || twice.Width != once.Width || twice.Height != once.Height {
			t.Errorf("orientation %d: %s of %d × %d, want %s of %d × %d", o, got, twice.Width, twice.Height, want, once.Width, once.Height)
		}
	}
}

func TestOddExifMeansUpright(t *testing.T) {
	whole := samplephotos.EXIF{Make: "x", Orientation: 6}.Bytes()
	cases := map[string][]byte{
		"empty":            {},
		"no TIFF":          []byte("nonsense that is long enough"),
		"no such tag":      samplephotos.EXIF{Make: "x"}.Bytes(),
		"value 0":          patched(whole, 6, 0),
		"value 9":          patched(whole, 6, 9),
		"directory beyond": append([]byte("II*\x00\xff\xff\xff\xff"), whole[8:]...),
		"cut":              whole[:20],
	}
	for name, tiff := range cases {
		file := samplephotos.WithSegments(asJPEG(t, quarters(60, 40, "ABCD")),
			samplephotos.Segment{Marker: 0xe1, Data: append([]byte("Exif\x00\x00"), tiff...)})
		if got := photo.Orientation(file); got != 1 {
			t.Errorf("%s: orientation %d", name, got)
		}
		if got := lettersOf(open(t, resize(t, file).Images[3].Data)); got != "ABCD" {
			t.Errorf("%s: shows %s", name, got)
		}
	}
}

// patched replaces the value of the orientation's entry.
func patched(tiff []byte, from, to byte) []byte {
	out := append([]byte(nil), tiff...)
	for i := 8; i+12 <= len(out); i++ {
		if out[i] == 0x12 && out[i+1] == 0x01 && out[i+2] == 3 && out[i+8] == from {
			out[i+8] = to
			return out
		}
	}
	panic("no orientation in the EXIF data")
}
