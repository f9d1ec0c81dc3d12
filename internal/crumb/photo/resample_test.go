package photo

import (
	"context"
	"image"
	"image/color"
	"testing"
)

func scaled(t *testing.T, img *image.NRGBA, w, h int) *image.NRGBA {
	t.Helper()
	b := img.Bounds()
	out, err := scale(context.Background(), rowsOf(img), b.Dx(), b.Dy(), w, h)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func filled(w, h int, at func(x, y int) color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
	return img
}

func TestEveryCodeSurvivesLinearLight(t *testing.T) {
	for code := range 256 {
		if got := coded[linear[code]]; int(got) != code {
			t.Errorf("code %d comes back as %d", code, got)
		}
	}
}

func TestWeightsSumToOne(t *testing.T) {
	for _, c := range [][2]int{{4000, 2048}, {30000, 2048}, {2048, 1080}, {161, 160}, {7, 3}, {5, 1}, {1, 1}} {
		a := newAxis(c[0], c[1])
		for i, weights := range a.weights {
			sum := 0
			for _, w := range weights {
				sum += w
			}
			if sum != one || a.first[i] < 0 || a.first[i]+len(weights) > c[0] {
				t.Fatalf("%d to %d: pixel %d takes %d from %d on, sum %d", c[0], c[1], i, len(weights), a.first[i], sum)
			}
		}
	}
}

func TestPlainColourStaysExact(t *testing.T) {
	for _, c := range []color.NRGBA{{0, 0, 0, 255}, {1, 2, 3, 255}, {200, 100, 50, 255}, {255, 255, 255, 255}, {200, 100, 50, 255}} {
		img := filled(301, 203, func(int, int) color.NRGBA { return c })
		out := scaled(t, img, 160, 108)
		for i := 0; i < len(out.Pix); i += 4 {
			if got := (color.NRGBA{out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3]}); got != c {
				t.Fatalf("%v became %v", c, got)
			}
		}
	}
}

// A pattern finer than the result can hold becomes the grey that the eye sees
// from afar: half the light of white, which is code 188, and no moiré.
func TestFinePatternsDoNotAlias(t *testing.T) {
	patterns := map[string]func(x, y int) bool{
		"checks": func(x, y int) bool { return (x+y)%2 == 0 },
		"bars":   func(x, _ int) bool { return x%2 == 0 },
		"wires":  func(_, y int) bool { return y%2 == 0 },
	}
	for name, lit := range patterns {
		img := filled(1203, 901, func(x, y int) color.NRGBA {
			if lit(x, y) {
				return color.NRGBA{255, 255, 255, 255}
			}
			return color.NRGBA{0, 0, 0, 255}
		})
		out := scaled(t, img, 160, 120)
		for y := 4; y < 116; y++ {
			for x := 4; x < 156; x++ {
				if v := out.NRGBAAt(x, y).R; v < 186 || v > 190 {
					t.Fatalf("%s: pixel %d,%d is %d, want 188", name, x, y, v)
				}
			}
		}
	}
}

// What is invisible must not be mixed into what is visible.
func TestTransparentPixelsLendNoColour(t *testing.T) {
	img := filled(400, 400, func(x, y int) color.NRGBA {
		if (x-200)*(x-200)+(y-200)*(y-200) < 150*150 {
			return color.NRGBA{250, 40, 20, 255}
		}
		return color.NRGBA{0, 0, 255, 0}
	})
	out := scaled(t, img, 97, 97)
	partly := 0
	for i := 0; i < len(out.Pix); i += 4 {
		a := out.Pix[i+3]
		if a > 0 && a < 255 {
			partly++
		}
		if a < 16 {
			continue // too faint for its colour to be exact
		}
		if r, g, b := out.Pix[i], out.Pix[i+1], out.Pix[i+2]; r < 248 || g > 44 || b > 24 {
			t.Fatalf("fringe of %d,%d,%d,%d", r, g, b, a)
		}
	}
	if partly < 50 {
		t.Fatalf("only %d soft pixels: the edge was not smoothed", partly)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct{ w, h, edge, wantW, wantH int }{
		{4000, 3000, 2048, 2048, 1536},
		{3000, 4000, 2048, 1536, 2048},
		{2048, 2048, 2048, 2048, 2048},
		{100, 50, 160, 100, 50},
		{30000, 2, 160, 160, 1},
		{3, 30000, 2048, 1, 2048},
		{1, 1, 160, 1, 1},
	} {
		if w, h := fit(c.w, c.h, c.edge); w != c.wantW || h != c.wantH {
			t.Errorf("fit(%d, %d, %d) = %d, %d, want %d, %d", c.w, c.h, c.edge, w, h, c.wantW, c.wantH)
		}
	}
}

// Every type of image that a decoder returns is read in its own way.
func TestRowsOfEveryType(t *testing.T) {
	want := color.NRGBA{200, 100, 50, 128}
	opaque := color.NRGBA{200, 100, 50, 255}
	r := image.Rect(0, 0, 5, 4)
	ycc := image.NewNYCbCrA(r, image.YCbCrSubsampleRatio420)
	for i := range ycc.Y {
		ycc.Y[i], ycc.A[i] = 124, uint8(40*(i/5))
	}
	for i := range ycc.Cb {
		ycc.Cb[i], ycc.Cr[i] = 86, 182
	}
	deep := image.NewNRGBA64(r)
	deep.Set(3, 2, want)
	flat := image.NewPaletted(r, color.Palette{color.Black, want})
	flat.SetColorIndex(3, 2, 1)
	plain := image.NewRGBA(r)
	plain.Set(3, 2, opaque)
	shifted := image.NewRGBA(image.Rect(10, 20, 15, 24))
	shifted.Set(13, 22, opaque)
	for name, c := range map[string]struct {
		img  image.Image
		want color.NRGBA
	}{
		"NYCbCrA": {ycc, color.NRGBA{200, 100, 50, 80}}, "NRGBA64": {deep, want}, "Paletted": {flat, want},
		"RGBA": {plain, opaque}, "shifted": {shifted, opaque},
	} {
		row := make([]uint8, 20)
		rowsOf(c.img)(2, row)
		got := color.NRGBA{row[12], row[13], row[14], row[15]}
		if near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }; !near(got.R, c.want.R) ||
			!near(got.G, c.want.G) || !near(got.B, c.want.B) || got.A != c.want.A {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
