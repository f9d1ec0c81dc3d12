package photo

import (
	"context"
	"image"
	"math"
)

// one is a weight of 1 in fixed point.
const (
	oneBits = 14
	one     = 1 << oneBits
)

// An axis says, for each pixel of the destination along one axis, which source
// pixels make it up: weights[i] applies from first[i] on, and sums to one.
type axis struct {
	first   []int
	weights [][]int
	widest  int
}

// catmullRom is the cubic kernel with B = 0, C = ½, which is zero from 2 on.
func catmullRom(t float64) float64 {
	t = math.Abs(t)
	switch {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < 2:
		return ((-0.5*t+2.5)*t-4)*t + 2
	}
	return 0
}

// newAxis spreads src pixels over dst. The kernel is widened by the scale, so
// that every source pixel counts and fine patterns blur instead of aliasing.
func newAxis(src, dst int) axis {
	a := axis{first: make([]int, dst), weights: make([][]int, dst)}
	ratio := float64(src) / float64(dst)
	widen := math.Max(ratio, 1)
	for i := range dst {
		centre := (float64(i)+0.5)*ratio - 0.5
		lo := max(0, int(math.Ceil(centre-2*widen)))
		hi := min(src-1, int(math.Floor(centre+2*widen)))
		fractions := make([]float64, hi-lo+1)
		total := 0.0
		for j := range fractions {
			fractions[j] = catmullRom((float64(lo+j) - centre) / widen)
			total += fractions[j]
		}
		a.first[i], a.weights[i] = lo, fixed(fractions, total)
		a.widest = max(a.widest, len(fractions))
	}
	return a
}

// fixed rounds fractions to fixed point. The largest takes what rounding left
// over, so that a plain area keeps its colour exactly.
func fixed(fractions []float64, total float64) []int {
	w := make([]int, len(fractions))
	rest, largest := one, 0
	for i, f := range fractions {
		w[i] = int(math.Round(f / total * one))
		rest -= w[i]
		if w[i] > w[largest] {
			largest = i
		}
	}
	w[largest] += rest
	return w
}

// scale draws a picture of sw × sh pixels at w × h. Source rows are asked for
// once each, in order, and only as many are kept as the kernel is high: memory
// does not grow with the source. The context is looked at for every row.
//
// The kernel scalers of golang.org/x/image/draw cover the whole source area as
// well, but hold 32 bytes for each pixel of a picture w wide and sh high, mix
// codes instead of light, and cannot be interrupted.
func scale(ctx context.Context, rows rowSource, sw, sh, w, h int) (*image.NRGBA, error) {
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	if w == sw && h == sh {
		for y := range h {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows(y, dst.Pix[y*dst.Stride:][:4*w])
		}
		return dst, nil
	}
	across, down := newAxis(sw, w), newAxis(sh, h)
	codes, light := make([]uint8, 4*sw), make([]uint16, 4*sw)
	kept := make([][]int32, down.widest)
	for i := range kept {
		kept[i] = make([]int32, 4*w)
	}
	sums := make([]int, 4*w)
	next := 0
	for y := range h {
		first, weights := down.first[y], down.weights[y]
		for ; next < first+len(weights); next++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows(next, codes)
			linearise(light, codes)
			across.row(kept[next%len(kept)], light)
		}
		clear(sums)
		for i, weight := range weights {
			addRow(sums, kept[(first+i)%len(kept)], weight)
		}
		encodeRow(dst.Pix[y*dst.Stride:][:4*w], sums)
	}
	return dst, nil
}

// row filters one row of four-channel pixels.
func (a axis) row(dst []int32, src []uint16) {
	for i, first := range a.first {
		weights := a.weights[i]
		s := src[4*first : 4*(first+len(weights))]
		var r, g, b, alpha int
		for _, w := range weights {
			r += w * int(s[0])
			g += w * int(s[1])
			b += w * int(s[2])
			alpha += w * int(s[3])
			s = s[4:]
		}
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[0], d[1], d[2], d[3] = round(r), round(g), round(b), round(alpha)
	}
}

func round(sum int) int32 { return int32((sum + one/2) >> oneBits) }

func addRow(sums []int, row []int32, weight int) {
	row = row[:len(sums)]
	for i := range sums {
		sums[i] += weight * int(row[i])
	}
}

func encodeRow(dst []uint8, sums []int) {
	for i := 0; i+4 <= len(dst); i += 4 {
		s := sums[i : i+4 : i+4]
		encodeLight(dst[i:i+4:i+4], int(round(s[0])), int(round(s[1])), int(round(s[2])), int(round(s[3])))
	}
}
