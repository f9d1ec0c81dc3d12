package photo_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

// traces are what would give a person away.
var traces = []string{"Exif", "GPS", "http://ns.adobe", "xmpmeta", "8BIM", "Photoshop", "Crumb", "Larder", "52.52", "2024:05", "Comment"}

func checkNoTraces(t *testing.T, result photo.Result) {
	t.Helper()
	for _, i := range result.Images {
		for _, trace := range traces {
			if bytes.Contains(i.Data, []byte(trace)) {
				t.Errorf("%s still contains %q", i.Name, trace)
			}
		}
	}
}

func TestJPEGMetadataIsRemoved(t *testing.T) {
	soup, err := samplephotos.Named("soup.jpg")
	if err != nil {
		t.Fatal(err)
	}
	soup.Width, soup.Height = 300, 400
	src, err := soup.Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{"Exif", "GPS", "8BIM", "Larder", "52.52", "II*\x00"} {
		if !bytes.Contains(src, []byte(trace)) {
			t.Fatalf("the sample has no %q to remove", trace)
		}
	}
	result := resize(t, src)
	checkNoTraces(t, result)
	for _, i := range result.Images {
		if got := markers(i.Data); slices.ContainsFunc(got, func(m byte) bool { return m >= 0xe0 }) {
			t.Errorf("%s has segments %x", i.Name, got)
		}
	}
}

func TestPNGMetadataIsRemoved(t *testing.T) {
	src := withChunks(asPNG(t, softSquare()),
		pngChunk("tEXt", []byte("Comment\x00GPS 52.52")), pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00<x:xmpmeta/>")),
		pngChunk("tIME", []byte{7, 232, 5, 17, 1, 2, 3}), pngChunk("eXIf", samplephotos.EXIF{Make: "Crumb", Orientation: 1}.Bytes()))
	result := resize(t, src)
	checkNoTraces(t, result)
	for _, i := range result.Images {
		for _, kind := range slices.Sorted(slices.Values(chunkKinds(i.Data))) {
			if !slices.Contains([]string{"IHDR", "IDAT", "IEND"}, kind) {
				t.Errorf("%s has a chunk %s", i.Name, kind)
			}
		}
	}
}

func TestColourProfileIsKept(t *testing.T) {
	opaque, soft := quarters(300, 200, "ABCD"), softSquare()
	short, long := samplephotos.Profile(0), samplephotos.Profile(150_000)
	cases := map[string]struct{ src, profile []byte }{
		"JPEG":                    {samplephotos.WithSegments(asJPEG(t, opaque), samplephotos.ProfileSegments(short)...), short},
		"JPEG in three segments":  {samplephotos.WithSegments(asJPEG(t, opaque), samplephotos.ProfileSegments(long)...), long},
		"JPEG, segments shuffled": {samplephotos.WithSegments(asJPEG(t, opaque), reversed(samplephotos.ProfileSegments(long))...), long},
		"opaque PNG":              {withChunks(asPNG(t, opaque), profileChunk(t, long)), long},
		"transparent PNG":         {withChunks(asPNG(t, soft), profileChunk(t, long)), long},
		"WebP":                    {webpWithProfile(short), short},
		"grey JPEG, RGB profile":  {samplephotos.WithSegments(asJPEG(t, greyQuarters()), samplephotos.ProfileSegments(short)...), short},
		"grey JPEG, grey profile": {samplephotos.WithSegments(asJPEG(t, greyQuarters()), samplephotos.ProfileSegments(space(short, "GRAY"))...), space(short, "GRAY")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, i := range resize(t, c.src).Images {
				if got := profileOf(t, i.Data); !bytes.Equal(got, c.profile) {
					t.Errorf("%s has a profile of %d bytes, want the %d of the source", i.Name, len(got), len(c.profile))
				}
				_, grey := open(t, i.Data).(*image.Gray)
				if want := string(c.profile[16:20]) == "GRAY"; grey != want {
					t.Errorf("%s is grey: %v, which does not fit its profile", i.Name, grey)
				}
			}
		})
	}
}

// A profile that does not describe what is written would spoil the colours.
func TestUnfitProfileIsDropped(t *testing.T) {
	p := samplephotos.Profile(0)
	missing := samplephotos.ProfileSegments(samplephotos.Profile(150_000))[:2]
	cmyk, err := samplephotos.CMYK(image.NewCMYK(image.Rect(0, 0, 64, 64)), samplephotos.AdobeCMYK)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]byte{
		"CMYK":           samplephotos.WithSegments(cmyk, samplephotos.ProfileSegments(space(p, "CMYK"))...),
		"CMYK, said RGB": samplephotos.WithSegments(asJPEG(t, quarters(64, 64, "ABCD")), samplephotos.ProfileSegments(space(p, "CMYK"))...),
		"part missing":   samplephotos.WithSegments(asJPEG(t, quarters(64, 64, "ABCD")), missing...),
		"no profile":     samplephotos.WithSegments(asJPEG(t, quarters(64, 64, "ABCD")), samplephotos.ProfileSegments([]byte("nonsense"))...),
		"grey on colour": samplephotos.WithSegments(asJPEG(t, quarters(64, 64, "ABCD")), samplephotos.ProfileSegments(space(p, "GRAY"))...),
		"bomb":           withChunks(asPNG(t, quarters(64, 64, "ABCD")), profileChunk(t, samplephotos.Profile(5<<20))),
	}
	for name, src := range cases {
		for _, i := range resize(t, src).Images {
			if got := profileOf(t, i.Data); got != nil {
				t.Errorf("%s: %s has a profile of %d bytes", name, i.Name, len(got))
			}
		}
	}
}

func space(profile []byte, name string) []byte {
	out := slices.Clone(profile)
	copy(out[16:], name)
	return out
}

func reversed[T any](s []T) []T {
	slices.Reverse(s)
	return s
}

func greyQuarters() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 300, 200))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 300 / 2)
	}
	return img
}

// softSquare is half transparent on one side.
func softSquare() *image.NRGBA {
	img := quarters(300, 200, "ABCD")
	for y := range 200 {
		for x := range 150 {
			c := img.NRGBAAt(x, y)
			img.SetNRGBA(x, y, color.NRGBA{c.R, c.G, c.B, 128})
		}
	}
	return img
}

// profileOf reads the profile back from a file, JPEG or PNG.
func profileOf(t *testing.T, file []byte) []byte {
	t.Helper()
	var profile []byte
	if file[0] == 0xff {
		for rest := file[2:]; rest[1] != 0xda; {
			n := int(binary.BigEndian.Uint16(rest[2:]))
			if part, ok := bytes.CutPrefix(rest[4:2+n], []byte("ICC_PROFILE\x00")); ok {
				profile = append(profile, part[2:]...)
			}
			rest = rest[2+n:]
		}
		return profile
	}
	for rest := file[8:]; len(rest) > 0; {
		n := int(binary.BigEndian.Uint32(rest))
		if string(rest[4:8]) == "iCCP" {
			_, packed, _ := bytes.Cut(rest[8:8+n], []byte("\x00\x00"))
			z, err := zlib.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			if profile, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		rest = rest[12+n:]
	}
	return profile
}

// markers lists the segments of a JPEG before its pixels.
func markers(file []byte) []byte {
	var list []byte
	for rest := file[2:]; rest[1] != 0xda; rest = rest[2+int(binary.BigEndian.Uint16(rest[2:])):] {
		list = append(list, rest[1])
	}
	return list
}

func chunkKinds(file []byte) []string {
	var list []string
	for rest := file[8:]; len(rest) > 0; rest = rest[12+int(binary.BigEndian.Uint32(rest)):] {
		list = append(list, string(rest[4:8]))
	}
	return list
}
