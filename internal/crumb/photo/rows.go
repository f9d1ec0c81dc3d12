package photo

import (
	"image"
	"image/color"
	"image/draw"
)

// A rowSource writes row y of a picture, counted from its top, as NRGBA bytes.
type rowSource func(y int, dst []uint8)

// rowsOf returns the rows of img. Pictures are converted row by row, so that
// no second copy of all their pixels is made.
func rowsOf(img image.Image) rowSource {
	switch img := img.(type) {
	case *image.NRGBA:
		return func(y int, dst []uint8) { copy(dst, img.Pix[y*img.Stride:]) }
	case *image.NRGBA64:
		return func(y int, dst []uint8) { narrow(dst, img.Pix[y*img.Stride:]) }
	case *image.Paletted:
		return palettedRows(img)
	case *image.NYCbCrA:
		colours := opaqueRows(&img.YCbCr)
		return func(y int, dst []uint8) {
			colours(y, dst)
			for x, a := range img.A[y*img.AStride:][:len(dst)/4] {
				dst[4*x+3] = a
			}
		}
	}
	return opaqueRows(img)
}

// opaqueRows serves the types that decoders use for pictures without
// transparency, where NRGBA and RGBA are the same.
func opaqueRows(img image.Image) rowSource {
	origin := img.Bounds().Min
	return func(y int, dst []uint8) {
		row := &image.RGBA{Pix: dst, Stride: len(dst), Rect: image.Rect(0, 0, len(dst)/4, 1)}
		draw.Draw(row, row.Rect, img, origin.Add(image.Pt(0, y)), draw.Src)
	}
}

// narrow rounds big-endian 16-bit samples to 8 bits.
func narrow(dst, src []uint8) {
	for i := range dst {
		v := uint32(src[2*i])<<8 | uint32(src[2*i+1])
		dst[i] = uint8((v*255 + 0x7fff) / 0xffff)
	}
}

func palettedRows(img *image.Paletted) rowSource {
	var table [256]color.NRGBA // an index outside the palette is transparent
	for i, c := range img.Palette[:min(len(img.Palette), len(table))] {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	return func(y int, dst []uint8) {
		for x, index := range img.Pix[y*img.Stride:][:len(dst)/4] {
			c := table[index]
			d := dst[4*x : 4*x+4 : 4*x+4]
			d[0], d[1], d[2], d[3] = c.R, c.G, c.B, c.A
		}
	}
}

// isGrey tells whether the picture was stored without colour.
func isGrey(img image.Image) bool {
	switch img.(type) {
	case *image.Gray, *image.Gray16:
		return true
	}
	return false
}
