package clip

import (
	"cmp"
	"image"
	"slices"
)

// transparent is the index that leaves a pixel as it was; a palette has the colours
// before it.
const transparent = 255

// A palette is the colours of some pictures, at most as many as there are indices
// before transparent, and which of them each pixel becomes.
//
// Colours are told apart by their highest five bits. Pixels are dithered by a fixed
// pattern before: what does not change from picture to picture keeps its index, and
// costs nothing.
type palette struct {
	colours [256][3]byte
	index   [1 << 15]uint8
}

// bayer is a threshold for each pixel of four by four, from 0 to 15.
var bayer = [4][4]int{{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}

// dithered gives a pixel with its threshold added: half a step either way.
func dithered(p *image.RGBA, x, y int) (r, g, b int) {
	i := y*p.Stride + 4*x
	d := bayer[y&3][x&3]/2 - 4
	return clamp(int(p.Pix[i]) + d), clamp(int(p.Pix[i+1]) + d), clamp(int(p.Pix[i+2]) + d)
}

func clamp(v int) int { return min(max(v, 0), 255) }

func cell(r, g, b int) int { return r>>3<<10 | g>>3<<5 | b>>3 }

// A bin is one cell that has pixels: how many, and the sum of their colours.
type bin struct {
	cell  int
	count int
	sum   [3]int
}

// newPalette chooses the colours of pictures by cutting the box of all bins in two
// until there are as many as there are colours.
func newPalette(pictures []*image.RGBA) *palette {
	boxes := []box{newBox(binsOf(pictures))}
	for len(boxes) < transparent {
		largest := 0
		for i := range boxes {
			if boxes[i].weight > boxes[largest].weight {
				largest = i
			}
		}
		if boxes[largest].weight == 0 {
			break // each bin has a colour of its own
		}
		a, b := boxes[largest].cut()
		boxes[largest] = a
		boxes = append(boxes, b)
	}
	p := &palette{}
	for i, b := range boxes {
		p.colours[i] = b.mean()
		for _, bin := range b.bins {
			p.index[bin.cell] = uint8(i)
		}
	}
	return p
}

func binsOf(pictures []*image.RGBA) []bin {
	all := make([]bin, 1<<15)
	for _, p := range pictures {
		for y := range p.Rect.Dy() {
			for x := range p.Rect.Dx() {
				r, g, b := dithered(p, x, y)
				n := &all[cell(r, g, b)]
				n.count++
				n.sum[0], n.sum[1], n.sum[2] = n.sum[0]+r, n.sum[1]+g, n.sum[2]+b
			}
		}
	}
	for i := range all {
		all[i].cell = i
	}
	return slices.DeleteFunc(all, func(b bin) bool { return b.count == 0 })
}

// A box is bins that become one colour.
type box struct {
	bins []bin
	// axis is the channel in which they differ most; weight is by how much, times
	// the pixels: zero where it can't be cut.
	axis, weight int
}

func newBox(bins []bin) box {
	b := box{bins: bins}
	pixels := 0
	low, high := [3]int{31, 31, 31}, [3]int{}
	for _, bin := range bins {
		pixels += bin.count
		for axis := range 3 {
			v := bin.cell >> (10 - 5*axis) & 31
			low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
		}
	}
	for axis := range 3 {
		if high[axis]-low[axis] > high[b.axis]-low[b.axis] {
			b.axis = axis
		}
	}
	b.weight = (high[b.axis] - low[b.axis]) * pixels
	return b
}

// cut divides a box where half of its pixels lie on either side.
func (b box) cut() (box, box) {
	along := func(n bin) int { return n.cell >> (10 - 5*b.axis) & 31 }
	slices.SortFunc(b.bins, func(x, y bin) int {
		return cmp.Or(cmp.Compare(along(x), along(y)), cmp.Compare(x.cell, y.cell))
	})
	pixels := 0
	for _, n := range b.bins {
		pixels += n.count
	}
	at, seen := 0, 0
	for at < len(b.bins)-1 && 2*(seen+b.bins[at].count) <= pixels {
		seen += b.bins[at].count
		at++
	}
	at = max(at, 1)
	return newBox(b.bins[:at]), newBox(b.bins[at:])
}

func (b box) mean() (colour [3]byte) {
	var sum [3]int
	pixels := 0
	for _, n := range b.bins {
		pixels += n.count
		for axis := range 3 {
			sum[axis] += n.sum[axis]
		}
	}
	for axis := range 3 {
		colour[axis] = byte((sum[axis] + pixels/2) / max(pixels, 1))
	}
	return colour
}

// indices gives a picture of those that the palette was made of in its colours.
func (p *palette) indices(picture *image.RGBA) []byte {
	w, h := picture.Rect.Dx(), picture.Rect.Dy()
	out := make([]byte, 0, w*h)
	for y := range h {
		for x := range w {
			r, g, b := dithered(picture, x, y)
			out = append(out, p.index[cell(r, g, b)])
		}
	}
	return out
}
