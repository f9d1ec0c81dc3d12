package samplephotos

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"
)

// A colour has its channels from 0 to 1, as they are stored (not linear light).
type colour struct{ r, g, b float64 }

func (c colour) times(f float64) colour { return colour{c.r * f, c.g * f, c.b * f} }

// mix goes from a at 0 to b at 1, and stays there beyond.
func mix(a, b colour, t float64) colour {
	t = min(max(t, 0), 1)
	return colour{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

// A scene gives the colour at a point. The origin is the middle of the picture,
// the shorter edge reaches from -1 to 1, and y grows downwards.
type scene func(x, y float64) colour

// eachPixel calls do for every pixel with its place in the scene, rows side by
// side on all processors.
func eachPixel(w, h int, do func(px, py int, x, y float64)) {
	unit := 2 / float64(min(w, h))
	var rows sync.WaitGroup
	stripes := runtime.GOMAXPROCS(0)
	for stripe := range stripes {
		rows.Go(func() {
			for py := stripe; py < h; py += stripes {
				for px := range w {
					do(px, py, (float64(px)+0.5-float64(w)/2)*unit, (float64(py)+0.5-float64(h)/2)*unit)
				}
			}
		})
	}
	rows.Wait()
}

// paint renders a scene with the grain of a sensor, from 0 (none) to about 0.1.
// No lens is sharp to the pixel, so large pictures are painted at half their
// size and enlarged, in a quarter of the time.
func paint(w, h int, s scene, grain float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	at := func(_, _ int, x, y float64) colour { return s(x, y) }
	if w*h > 2_000_000 {
		half := paint((w+1)/2, (h+1)/2, s, 0)
		at = func(px, py int, _, _ float64) colour { return enlarged(half, px, py) }
	}
	eachPixel(w, h, func(px, py int, x, y float64) {
		c := at(px, py, x, y)
		g := (hash(px, py, 99) + hash(px, py, 7) - 1) * grain
		p := img.Pix[img.PixOffset(px, py):]
		p[0], p[1], p[2], p[3] = byteOf(c.r+g), byteOf(c.g+g), byteOf(c.b+g), 255
	})
	return img
}

// enlarged is the colour of a pixel of a picture twice as large: of the four
// nearest, the nearer one of each pair counts three times.
func enlarged(half *image.RGBA, px, py int) colour {
	x, y := px/2, py/2
	farX := min(max(x+px%2*2-1, 0), half.Rect.Dx()-1)
	farY := min(max(y+py%2*2-1, 0), half.Rect.Dy()-1)
	a, b := half.Pix[half.PixOffset(x, y):], half.Pix[half.PixOffset(farX, y):]
	c, d := half.Pix[half.PixOffset(x, farY):], half.Pix[half.PixOffset(farX, farY):]
	sum := func(i int) float64 {
		return float64(9*int(a[i])+3*int(b[i])+3*int(c[i])+int(d[i])) / (16 * 255)
	}
	return colour{sum(0), sum(1), sum(2)}
}

// paintDeep renders a scene with 16 bits a channel.
func paintDeep(w, h int, s scene) *image.RGBA64 {
	img := image.NewRGBA64(image.Rect(0, 0, w, h))
	eachPixel(w, h, func(px, py int, x, y float64) {
		c := s(x, y)
		img.SetRGBA64(px, py, color.RGBA64{wordOf(c.r), wordOf(c.g), wordOf(c.b), 0xffff})
	})
	return img
}

func byteOf(v float64) uint8  { return uint8(min(max(v, 0), 1)*255 + 0.5) }
func wordOf(v float64) uint16 { return uint16(min(max(v, 0), 1)*65535 + 0.5) }

// hash is noise without pattern, from 0 to 1, that depends on nothing else.
func hash(x, y, seed int) float64 {
	h := uint32(x)*0x9e3779b1 + uint32(y)*0x85ebca77 + uint32(seed)*0xc2b2ae3d
	h = (h ^ h>>16) * 0x7feb352d
	h = (h ^ h>>15) * 0x846ca68b
	return float64(h^h>>16) / math.MaxUint32
}

// noise is smooth: hash at whole numbers, and soft in between.
func noise(x, y float64, seed int) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int(fx), int(fy)
	u, v := smooth(x-fx), smooth(y-fy)
	top := hash(ix, iy, seed)*(1-u) + hash(ix+1, iy, seed)*u
	bottom := hash(ix, iy+1, seed)*(1-u) + hash(ix+1, iy+1, seed)*u
	return top*(1-v) + bottom*v
}

// clouds is noise at three scales.
func clouds(x, y float64, seed int) float64 {
	return 0.57*noise(x, y, seed) + 0.29*noise(2*x, 2*y, seed+1) + 0.14*noise(4*x, 4*y, seed+2)
}

func smooth(t float64) float64 { return t * t * (3 - 2*t) }

// step goes smoothly from 0 at a to 1 at b; a may be above b.
func step(a, b, v float64) float64 { return smooth(min(max((v-a)/(b-a), 0), 1)) }
