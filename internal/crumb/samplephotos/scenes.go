package samplephotos

import "math"

// wood is a table of planks seen from above.
func wood(x, y float64) colour {
	plank := math.Floor(y / 0.55)
	grain := clouds(x*1.7+plank*13, y*26, 3)
	c := mix(colour{0.34, 0.21, 0.12}, colour{0.62, 0.43, 0.27}, grain)
	gap := math.Abs(y/0.55 - math.Round(y/0.55))
	c = c.times(0.55 + 0.45*step(0.004, 0.02, gap))
	return c.times(1.08 - 0.16*(x*0.5+y*0.5))
}

// soup is a bowl of tomato soup with cream and herbs on a table.
func soup(x, y float64) colour {
	r := math.Hypot(x, y)
	shade := math.Hypot(x-0.09, y-0.12)
	table := colour{}
	if r > 0.81 {
		table = wood(x, y).times(0.42 + 0.58*step(0.72, 1.08, shade))
	}
	if r > 0.83 {
		return table
	}
	light := (-x*0.6 - y*0.8) / math.Max(r, 0.001)
	rim := colour{0.9, 0.89, 0.86}.times(0.9 + 0.1*light)
	inner := colour{0.86, 0.84, 0.8}.times(0.84 - 0.16*light)
	bowl := mix(inner, rim, step(0.735, 0.755, r))
	if r < 0.68 {
		bowl = mix(broth(x, y, r), bowl, step(0.662, 0.672, r))
	}
	return mix(bowl, table, step(0.815, 0.825, r))
}

// broth is the soup itself: a swirl of cream, herbs and drops of oil.
func broth(x, y, r float64) colour {
	c := mix(colour{0.72, 0.2, 0.06}, colour{0.9, 0.42, 0.13}, clouds(x*5, y*5, 11))
	angle := math.Atan2(y, x)
	arm := math.Mod(angle/(2*math.Pi)+r*2.6+0.12*noise(x*6, y*6, 5)+2, 1)
	cream := step(0.13, 0.04, math.Abs(arm-0.5)) * step(0.56, 0.42, r) * step(0.02, 0.1, r)
	c = mix(c, colour{0.98, 0.93, 0.84}, cream*0.92)
	c = speckle(c, x, y, 13, 0.4, colour{0.16, 0.38, 0.1}, colour{0.36, 0.6, 0.19}, 21)
	c = speckle(c, x, y, 34, 0.16, colour{0.12, 0.07, 0.04}, colour{0.2, 0.12, 0.08}, 31)
	glint := step(0.1, 0, math.Abs(math.Hypot(x+0.2, y+0.28)-0.22)) * step(0.16, 0.1, math.Hypot(x+0.34, y+0.44))
	c = mix(c, colour{1, 0.97, 0.9}, 0.75*glint)
	return c.times(0.72 + 0.28*step(0.67, 0.55, r))
}

// speckle strews leaves, one in some of the cells of a grid.
func speckle(under colour, x, y, cells, often float64, dark, bright colour, seed int) colour {
	cx, cy := math.Floor(x*cells), math.Floor(y*cells)
	ix, iy := int(cx), int(cy)
	if hash(ix, iy, seed) > often {
		return under
	}
	turn := hash(ix, iy, seed+1) * math.Pi
	u, v := x*cells-cx-0.3-0.4*hash(ix, iy, seed+4), y*cells-cy-0.3-0.4*hash(ix, iy, seed+5)
	a, b := u*math.Cos(turn)+v*math.Sin(turn), v*math.Cos(turn)-u*math.Sin(turn)
	leaf := math.Hypot(a/0.3, b/(0.14+0.08*hash(ix, iy, seed+2)))
	vein := 0.6 * step(0.08, 0, math.Abs(b))
	return mix(mix(dark, bright, hash(ix, iy, seed+3)*0.6+vein), under, step(0.85, 1, leaf))
}

// A ball is a tomato.
type ball struct{ x, y, r float64 }

// tomatoes lie on a table; later ones are in front.
func tomatoes(x, y float64) colour {
	c := wood(x*0.9+3, y*0.9+1).times(1.1)
	for i, t := range []ball{{-0.55, -0.38, 0.46}, {0.5, -0.42, 0.42}, {1.12, 0.1, 0.36}, {-0.98, 0.38, 0.4}, {-0.08, 0.28, 0.52}} {
		if math.Abs(x-t.x) > 2*t.r || math.Abs(y-t.y) > 2*t.r {
			continue
		}
		shadow := math.Hypot((x-t.x-0.12)/1.1, y-t.y-0.15) / t.r
		c = c.times(0.45 + 0.55*step(0.75, 1.25, shadow))
		if d := math.Hypot(x-t.x, y-t.y) / t.r; d < 1 {
			c = mix(tomato((x-t.x)/t.r, (y-t.y)/t.r, d, i), c, step(0.985, 1, d))
		}
	}
	return c
}

// tomato is one of radius 1 around the origin, d its distance from there.
func tomato(x, y, d float64, seed int) colour {
	z := math.Sqrt(max(0, 1-d*d))
	light := max(0, -0.45*x-0.6*y+0.66*z)
	skin := mix(colour{0.62, 0.05, 0.03}, colour{0.93, 0.22, 0.1}, light+0.25*(clouds(x*4, y*4, 40+seed)-0.5))
	skin = skin.times(0.35 + 0.75*light + 0.1*d)
	skin = mix(skin, colour{1, 0.95, 0.92}, 0.9*math.Pow(max(0, -0.42*x-0.55*y+0.72*z), 38))
	sx, sy := x+0.08, y+0.22
	angle := math.Atan2(sy, sx) + 0.4*float64(seed)
	star := math.Hypot(sx, sy) / (0.16 + 0.26*math.Pow(math.Abs(math.Cos(2.5*angle)), 3))
	green := mix(colour{0.14, 0.3, 0.08}, colour{0.42, 0.58, 0.2}, noise(x*14, y*14, 60+seed))
	return mix(green, skin, step(0.9, 1.02, star))
}
