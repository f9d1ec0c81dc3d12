package photo

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"image"
)

// sumOf is the SHA-256 of a picture's width and height, as 32 bits each, and its
// pixels, row by row as four bytes each: red, green, blue and opacity, not
// multiplied by it. The orientation is not applied: it is metadata.
func sumOf(ctx context.Context, img image.Image) (sum [sha256.Size]byte, err error) {
	b := img.Bounds()
	hash := sha256.New()
	var edges [8]byte
	binary.BigEndian.PutUint32(edges[:4], uint32(b.Dx()))
	binary.BigEndian.PutUint32(edges[4:], uint32(b.Dy()))
	hash.Write(edges[:])
	row, read := make([]uint8, 4*b.Dx()), rowsOf(img)
	for y := range b.Dy() {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		read(y, row)
		hash.Write(row)
	}
	hash.Sum(sum[:0])
	return sum, nil
}
