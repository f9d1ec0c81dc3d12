package samplephotos

import (
	"fmt"
	"math"
)

// glyphs are letters of five by seven squares, a row a number, high bit left.
var glyphs = map[rune][7]byte{
	'U': {17, 17, 17, 17, 17, 17, 14}, 'P': {30, 17, 17, 30, 16, 16, 16},
	'1': {4, 12, 4, 4, 4, 4, 14}, '2': {14, 17, 1, 6, 8, 16, 31}, '3': {14, 17, 1, 6, 1, 17, 14},
	'4': {2, 6, 10, 18, 31, 2, 2}, '5': {31, 16, 30, 1, 1, 17, 14}, '6': {14, 16, 30, 17, 17, 17, 14},
	'7': {31, 1, 2, 4, 8, 8, 8}, '8': {14, 17, 17, 14, 17, 17, 14},
}

// sign is a picture that tells whether it is upright, and not mirrored: sky
// above, a bowl below, an arrow up, the word UP and the orientation's number.
func sign(orientation int) scene {
	words := fmt.Sprintf("UP%d", orientation)
	return func(x, y float64) colour {
		u, v := x*2.6, (y-0.86)*4.4
		switch {
		case arrow(x, y+0.72) || text(words, x, y-0.14):
			return colour{0.7, 0.08, 0.12}
		case math.Hypot(u, v) < 0.815:
			return soup(u, v)
		case y > 0.6:
			return wood(x, (y-0.6)*2)
		}
		return mix(colour{0.3, 0.55, 0.88}, colour{0.93, 0.93, 0.88}, (y+1.3)/1.9+0.5*(clouds(x*2, y*4, 70)-0.5))
	}
}

// arrow points up around the origin.
func arrow(x, y float64) bool {
	head := y > -0.45 && y < 0.05 && math.Abs(x) < (y+0.45)*0.8
	return head || math.Abs(x) < 0.15 && y >= 0.05 && y < 0.5
}

// text writes words in the middle around the origin.
func text(words string, x, y float64) bool {
	const square = 0.07
	column := int(math.Floor(x/square + float64(len(words)*6-1)/2))
	row := int(math.Floor(y/square + 3.5))
	if column < 0 || column >= len(words)*6 || row < 0 || row > 6 || column%6 == 5 {
		return false
	}
	return glyphs[rune(words[column/6])][row]>>(4-column%6)&1 == 1
}
