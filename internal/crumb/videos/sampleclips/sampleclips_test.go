package sampleclips_test

import (
	"bytes"
	"image/gif"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/videos/sampleclips"
)

var pot = sampleclips.Film{Width: 64, Height: 48, Frames: 5, Rate: 10}

func TestTheSameFilmGivesTheSameBytes(t *testing.T) {
	for name, makeIt := range map[string]func() ([]byte, error){"AVI": pot.AVI, "GIF": pot.GIF} {
		first, err := makeIt()
		if err != nil {
			t.Fatal(err)
		}
		second, err := makeIt()
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two films differ (%v)", name, err)
		}
	}
}

// The frames move.
func TestGIF(t *testing.T) {
	data, err := pot.GIF()
	if err != nil {
		t.Fatal(err)
	}
	file, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil || len(file.Image) != 5 || bytes.Equal(file.Image[0].Pix, file.Image[4].Pix) {
		t.Errorf("%v, or a film that stands still", err)
	}
}
