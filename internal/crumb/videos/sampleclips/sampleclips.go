// Package sampleclips makes short films by code, for tests and for trying Crumb out:
// a pot on a stove, with what boils in it. The same film gives the same bytes.
package sampleclips

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"math"
)

// A Film says what to make. All of it is required but what is said to be optional.
type Film struct {
	// Width and Height are in pixels.
	Width, Height int
	// Frames is how many there are, Rate how many a second.
	Frames, Rate int
	// Bare leaves the Huffman tables out of the JPEGs, as many cameras do.
	// Optional.
	Bare bool
	// Sound adds a stream of silence before the video's. Optional.
	Sound bool
	// Dropped makes every third frame one that repeats the one before it.
	// Optional.
	Dropped bool
}

// Paint draws one frame: a plain wall, a pot, and bubbles that rise.
func (f Film) Paint(i int) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
	wall := color.RGBA{240, 228, 204, 255}
	draw.Draw(picture, picture.Rect, image.NewUniform(wall), image.Point{}, draw.Src)
	w, h := float64(f.Width), float64(f.Height)
	pot := image.Rect(f.Width/4, f.Height/2, f.Width*3/4, f.Height*9/10)
	for y := pot.Min.Y; y < pot.Max.Y; y++ {
		for x := pot.Min.X; x < pot.Max.X; x++ {
			shade := uint8(90 + 80*math.Sin(math.Pi*float64(x-pot.Min.X)/float64(pot.Dx())))
			picture.SetRGBA(x, y, color.RGBA{shade, shade, shade + 20, 255})
		}
	}
	seconds := float64(i) / float64(f.Rate)
	for b := range 8 {
		rise := math.Mod(seconds*0.4+float64(b)/8, 1)
		x := w*(0.3+0.05*float64(b)) + w*0.02*math.Sin(4*seconds+float64(b))
		disc(picture, x, h*(0.5-0.45*rise), h*0.015*(1+2*rise), color.RGBA{uint8(120 + 15*b), uint8(180 - 12*b), 220, 255})
	}
	return picture
}

func disc(picture *image.RGBA, cx, cy, radius float64, c color.RGBA) {
	for y := int(cy - radius); y <= int(cy+radius); y++ {
		for x := int(cx - radius); x <= int(cx+radius); x++ {
			if math.Hypot(float64(x)-cx, float64(y)-cy) <= radius && image.Pt(x, y).In(picture.Rect) {
				picture.SetRGBA(x, y, c)
			}
		}
	}
}

// jpeg encodes one frame.
func (f Film) jpeg(i int) ([]byte, error) {
	if f.Dropped && i%3 == 2 {
		return nil, nil
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, f.Paint(i), &jpeg.Options{Quality: 80}); err != nil {
		return nil, fmt.Errorf("sampleclips: encoding frame %d: %w", i, err)
	}
	data := file.Bytes()
	if at := bytes.Index(data, []byte{0xff, 0xc4}); f.Bare && at > 0 {
		end := at + 2 + int(data[at+2])<<8 + int(data[at+3])
		data = append(data[:at:at], data[end:]...)
	}
	return data, nil
}

// GIF makes the film as an animated GIF.
func (f Film) GIF() ([]byte, error) {
	file := &gif.GIF{}
	for i := range f.Frames {
		frame := image.NewPaletted(image.Rect(0, 0, f.Width, f.Height), palette.WebSafe)
		draw.Draw(frame, frame.Rect, f.Paint(i), image.Point{}, draw.Src)
		file.Image, file.Delay = append(file.Image, frame), append(file.Delay, 100/f.Rate)
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, file); err != nil {
		return nil, fmt.Errorf("sampleclips: encoding a GIF: %w", err)
	}
	return out.Bytes(), nil
}
