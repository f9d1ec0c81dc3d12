package clip_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/videos/clip"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/sampleclips"
)

// try opens a film and makes everything of it.
func try(t *testing.T, src []byte, declared string) error {
	t.Helper()
	c, err := clip.Open(t.Context(), src, declared)
	if err != nil {
		return err
	}
	for i := range c.Segments() {
		if _, err := c.Segment(t.Context(), i, nil); err != nil {
			return err
		}
	}
	_, previewErr := c.Preview(t.Context())
	_, posterErr := c.Poster(t.Context())
	return errors.Join(previewErr, posterErr)
}

// spoiled changes a copy of a film where some bytes stand first.
func spoiled(src []byte, mark string, change func(at []byte)) []byte {
	out := bytes.Clone(src)
	change(out[bytes.Index(out, []byte(mark)):])
	return out
}

func TestBadFilmsAreRefused(t *testing.T) {
	small := sampleclips.Film{Width: 64, Height: 48, Frames: 12, Rate: 12}
	film, animation := avi(t, small), made(t, small.GIF)
	with := func(change func(*sampleclips.Film)) []byte {
		other := small
		change(&other)
		return avi(t, other)
	}
	put := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	for name, c := range map[string]struct {
		src      []byte
		declared string
		code     clip.Code
	}{
		"nothing":                {nil, "", clip.CodeEmpty},
		"text":                   {[]byte("stir, and let it simmer"), "video/avi", clip.CodeNotAVideo},
		"a JPEG":                 {[]byte("\xff\xd8\xff\xe0 and so on, and so on"), "", clip.CodeNotAVideo},
		"MP4":                    {[]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00"), "", clip.CodeUnsupported},
		"WebM":                   {[]byte("\x1aE\xdf\xa3\x01\x00\x00\x00"), "", clip.CodeUnsupported},
		"another codec":          {made(t, func() ([]byte, error) { return small.AVIAs("H264") }), "", clip.CodeUnsupported},
		"a GIF called AVI":       {animation, "video/avi", clip.CodeTypeMismatch},
		"an AVI called GIF":      {film, "image/gif", clip.CodeTypeMismatch},
		"a type that is no type": {film, "film/", clip.CodeTypeMismatch},
		"larger than Full HD":    {spoiled(film, "strf", func(b []byte) { put(8+4, 1924)(b); put(8+8, 1090)(b) }), "", clip.CodeTooLarge},
		"an edge too long":       {spoiled(film, "strf", put(8+4, 5000)), "", clip.CodeTooLarge},
		"no width":               {spoiled(film, "strf", put(8+4, 0)), "", clip.CodeCorrupt},
		"a negative width":       {spoiled(film, "strf", put(8+4, 1<<31)), "", clip.CodeCorrupt},
		"five minutes":           {with(func(f *sampleclips.Film) { f.Frames, f.Rate = 300, 1 }), "", clip.CodeTooLong},
		"no rate":                {spoiled(film, "strh", put(8+24, 0)), "", clip.CodeCorrupt},
		"a million a second":     {spoiled(film, "strh", put(8+24, 1_000_000)), "", clip.CodeCorrupt},
		"no frames":              {with(func(f *sampleclips.Film) { f.Frames = 0 }), "", clip.CodeCorrupt},
		"frames of another size": {spoiled(film, "strf", put(8+4, 72)), "", clip.CodeUnsupported},
		"half a film":            {film[:len(film)/2], "", clip.CodeTruncated},
		"progressive frames":     {spoiled(film, "\xff\xc0", func(b []byte) { b[1] = 0xc2 }), "", clip.CodeUnsupported},
		"a broken frame":         {spoiled(film, "\xff\xda", func(b []byte) { clear(b[14:60]); b[14] = 0xff; b[15] = 0xd9 }), "", clip.CodeCorrupt},
		"only sound":             {spoiled(spoiled(film, "vids", func(b []byte) { copy(b, "auds") }), "strf", func([]byte) {}), "", clip.CodeNotAVideo},
		"half an animation":      {animation[:len(animation)/2], "", clip.CodeTruncated},
		"a GIF's header":         {animation[:10], "", clip.CodeTruncated},
		"a GIF of nothing":       {[]byte("GIF89a\x40\x00\x30\x00\x00\x00\x00;"), "", clip.CodeCorrupt},
		"a strange block":        {spoiled(animation, ";", func(b []byte) { b[0] = '?' }), "", clip.CodeCorrupt},
	} {
		err := try(t, c.src, c.declared)
		var refused *clip.BadClipError
		if !errors.As(err, &refused) || refused.Code != c.code {
			t.Errorf("%s: %v, want the code %s", name, err, c.code)
		} else if refused.Message == "" {
			t.Errorf("%s: nobody is told why", name)
		}
	}
}

// A GIF of a few kilobytes may say that it has gigabytes of pixels.
func TestAHugeGIFIsRefusedBeforeItIsDecoded(t *testing.T) {
	src := []byte("GIF89a\x00\x05\x00\x04\x00\x00\x00")
	for range 400 {
		src = append(src, 0x2c, 0, 0, 0, 0, 0x00, 0x05, 0x00, 0x04, 0, 8, 1, 0, 0)
	}
	src = append(src, ';')
	err := try(t, src, "")
	var refused *clip.BadClipError
	if !errors.As(err, &refused) || refused.Code != clip.CodeTooLarge {
		t.Errorf("%v, want the code %s", err, clip.CodeTooLarge)
	}
	src = []byte("GIF89a\x10\x00\x10\x00\x00\x00\x00")
	for range clip.MaxFrames + 1 {
		src = append(src, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 8, 1, 0, 0)
	}
	if err := try(t, src, ""); !errors.As(err, &refused) || refused.Code != clip.CodeTooLong {
		t.Errorf("%v, want the code %s", err, clip.CodeTooLong)
	}
}

// Whatever comes in, what comes out is a film or a reason.
func FuzzOpen(f *testing.F) {
	small := sampleclips.Film{Width: 16, Height: 8, Frames: 3, Rate: 10, Sound: true, Dropped: true}
	f.Add(avi(f, small))
	small.Bare = true
	f.Add(avi(f, small))
	f.Add(made(f, small.GIF))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := clip.Open(t.Context(), src, "")
		if err == nil && c.Ticks() < 400 && c.Width*c.Height < 1<<16 {
			_, err = c.Segment(t.Context(), c.Segments()-1, nil)
			if err == nil {
				_, err = c.Poster(t.Context())
			}
		}
		var refused *clip.BadClipError
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%v is no reason", err)
		}
	})
}
