package samplephotos

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"math"
)

// store turns an upright picture into what a camera of that EXIF orientation
// has on its sensor: row by row, the pixels that its first row shows, and so on.
func store(img *image.RGBA, orientation int) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	stored := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			to := [...]image.Point{
				{x, y}, {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
				{y, x}, {y, w - 1 - x}, {h - 1 - y, w - 1 - x}, {h - 1 - y, x},
			}[orientation-1]
			copy(stored.Pix[stored.PixOffset(to.X, to.Y):][:4], img.Pix[img.PixOffset(x, y):])
		}
	}
	return stored
}

func toGrey(img image.Image) *image.Gray {
	grey := image.NewGray(img.Bounds())
	draw.Draw(grey, grey.Rect, img, img.Bounds().Min, draw.Src)
	return grey
}

func toCMYK(img *image.RGBA) *image.CMYK {
	inks := image.NewCMYK(img.Rect)
	for i := 0; i+4 <= len(img.Pix); i += 4 {
		p := img.Pix[i:]
		inks.Pix[i], inks.Pix[i+1], inks.Pix[i+2], inks.Pix[i+3] = color.RGBToCMYK(p[0], p[1], p[2])
	}
	return inks
}

// paintCutout is a tomato without its background, with a soft shadow.
func paintCutout(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	eachPixel(w, h, func(px, py int, x, y float64) {
		d := math.Hypot(x, y) / 0.8
		c, alpha := colour{}, 0.5*step(1.2, 0.7, math.Hypot(x-0.08, y-0.1)/0.8)
		if d < 1 {
			edge := step(1, 0.985, d)
			c, alpha = tomato(x/0.8, y/0.8, d, 2), edge+(1-edge)*alpha
		}
		img.SetNRGBA(px, py, color.NRGBA{byteOf(c.r), byteOf(c.g), byteOf(c.b), byteOf(alpha)})
	})
	return img
}

// steamAnimation is an animated GIF whose later frames change only a part of
// the picture.
func steamAnimation(w, h int) ([]byte, error) {
	animation := &gif.GIF{Config: image.Config{Width: w, Height: h, ColorModel: color.Palette(palette.Plan9)}}
	still := paint(w, h, soup, 0)
	for frame := range 5 {
		area := image.Rect(0, 0, w, h)
		if frame > 0 {
			area = image.Rect(w/4, h/8, 3*w/4, 7*h/8)
		}
		picture := image.NewRGBA(still.Rect)
		eachPixel(w, h, func(px, py int, x, y float64) {
			steam := step(0.5, 0.8, clouds(x*3, y*3+float64(frame)*0.4, 80)) * step(0.8, 0.2, math.Hypot(x, y))
			at := picture.PixOffset(px, py)
			for i, v := range still.Pix[at : at+3] {
				picture.Pix[at+i] = v + uint8(0.6*steam*float64(255-v))
			}
			picture.Pix[at+3] = 255
		})
		part := image.NewPaletted(area, palette.Plan9)
		draw.FloydSteinberg.Draw(part, area, picture, area.Min)
		animation.Image = append(animation.Image, part)
		animation.Delay = append(animation.Delay, 12)
		animation.Disposal = append(animation.Disposal, gif.DisposalNone)
	}
	var file bytes.Buffer
	err := gif.EncodeAll(&file, animation)
	return file.Bytes(), err
}
