package photo

import "math"

// Pixels are averaged in linear light: the mean of a black and a white pixel
// is what the eye sees from afar, which is code 188 of sRGB and not 128.
// Values are integers (65535 is full light), so that every machine computes
// the same picture. The curve is that of sRGB (IEC 61966-2-1); other profiles
// in use are close enough to it for averaging neighbours.
var (
	linear = linearTable()
	coded  = codedTable()
)

// linearOf is sRGB's transfer function on the scale of 8-bit codes.
func linearOf(code float64) float64 {
	v := code / 255
	if v <= 0.04045 {
		return v / 12.92 * 65535
	}
	return math.Pow((v+0.055)/1.055, 2.4) * 65535
}

// linearTable maps a code to its light.
func linearTable() (t [256]uint16) {
	for code := range t {
		t[code] = uint16(math.Round(linearOf(float64(code))))
	}
	return t
}

// codedTable maps light to the nearest code.
func codedTable() *[65536]uint8 {
	var t [65536]uint8
	for code, light := 0, 0; code < 256; code++ {
		end := 65536
		if code < 255 {
			end = int(math.Ceil(linearOf(float64(code) + 0.5)))
		}
		for ; light < end; light++ {
			t[light] = uint8(code)
		}
	}
	return &t
}

// linearise turns a row of NRGBA bytes into light, premultiplied by alpha, so
// that the colour of a transparent pixel weighs nothing.
func linearise(dst []uint16, src []uint8) {
	for i := 0; i+4 <= len(src); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = linear[s[0]], linear[s[1]], linear[s[2]], 0xffff
		if a := uint32(s[3]); a != 255 {
			d[0] = uint16((uint32(d[0])*a + 127) / 255)
			d[1] = uint16((uint32(d[1])*a + 127) / 255)
			d[2] = uint16((uint32(d[2])*a + 127) / 255)
			d[3] = uint16(a * 257)
		}
	}
}

// encodeLight turns one pixel of premultiplied light back into NRGBA bytes. The
// kernel overshoots at edges, so values are brought back into range first.
func encodeLight(dst []uint8, r, g, b, a int) {
	a = min(max(a, 0), 0xffff)
	alpha := (a*255 + 0x7fff) / 0xffff
	if alpha == 0 {
		dst[0], dst[1], dst[2], dst[3] = 0, 0, 0, 0
		return
	}
	r, g, b = min(max(r, 0), a), min(max(g, 0), a), min(max(b, 0), a)
	if a != 0xffff {
		r, g, b = r*0xffff/a, g*0xffff/a, b*0xffff/a
	}
	dst[0], dst[1], dst[2], dst[3] = coded[r], coded[g], coded[b], uint8(alpha)
}
