package clip

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"slices"
	"time"
)

// A gifFilm is an animated GIF. Its pictures change what the ones before left.
type gifFilm struct {
	file *gif.GIF
	ends []time.Duration // when each picture ends

	canvas   *image.RGBA
	restored *image.RGBA // what the last picture's disposal brings back
	shown    int         // pictures drawn so far
}

// shortest is how long a picture is shown that is to be shown for no time at all:
// what browsers make of it.
const shortest = 100 * time.Millisecond

func openGIF(ctx context.Context, src []byte) (*Clip, error) {
	if err := checkGIF(src); err != nil {
		return nil, err
	}
	file, err := gif.DecodeAll(&patient{ctx, src})
	if err != nil {
		return nil, refuse(err)
	}
	f := &gifFilm{file: file}
	var end time.Duration
	for _, hundredths := range file.Delay {
		shown := time.Duration(hundredths) * time.Second / 100
		if hundredths <= 1 {
			shown = shortest
		}
		end += shown
		f.ends = append(f.ends, end)
	}
	return newClip(f, file.Config.Width, file.Config.Height, len(file.Image), end)
}

func (f *gifFilm) at(t time.Duration) int {
	i, _ := slices.BinarySearchFunc(f.ends, t, func(end, t time.Duration) int {
		if end > t {
			return 1
		}
		return -1
	})
	return min(i, len(f.ends)-1)
}

// frame draws the pictures up to the one asked for, from where it was. What is
// given is overwritten by the next call.
func (f *gifFilm) frame(ctx context.Context, i int) (image.Image, error) {
	bounds := image.Rect(0, 0, f.file.Config.Width, f.file.Config.Height)
	if f.canvas == nil || i < f.shown-1 {
		f.canvas, f.shown = image.NewRGBA(bounds), 0
		draw.Draw(f.canvas, bounds, image.White, image.Point{}, draw.Src)
	}
	for ; f.shown <= i; f.shown++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.dispose()
		picture := f.file.Image[f.shown]
		if f.disposal(f.shown) == gif.DisposalPrevious {
			f.restored = image.NewRGBA(picture.Rect)
			draw.Draw(f.restored, picture.Rect, f.canvas, picture.Rect.Min, draw.Src)
		}
		draw.Draw(f.canvas, picture.Rect, picture, picture.Rect.Min, draw.Over)
	}
	return f.canvas, nil
}

// dispose takes away the last picture, as it asks for. What is transparent is
// shown on white.
func (f *gifFilm) dispose() {
	if f.shown == 0 {
		return
	}
	area := f.file.Image[f.shown-1].Rect
	switch f.disposal(f.shown - 1) {
	case gif.DisposalBackground:
		draw.Draw(f.canvas, area, image.NewUniform(color.White), image.Point{}, draw.Src)
	case gif.DisposalPrevious:
		draw.Draw(f.canvas, area, f.restored, area.Min, draw.Src)
	}
}

func (f *gifFilm) disposal(i int) byte {
	if i < len(f.file.Disposal) {
		return f.file.Disposal[i]
	}
	return 0
}

// A patient reader gives a decoder its source as long as the context lasts.
type patient struct {
	ctx context.Context
	src []byte
}

func (r *patient) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.src) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.src[:min(len(r.src), 4096)])
	r.src = r.src[n:]
	return n, nil
}

// checkGIF walks through a GIF's blocks and adds up what its pictures would take,
// before one of them is decoded.
// https://www.w3.org/Graphics/GIF/spec-gif89a.txt
func checkGIF(src []byte) error {
	if len(src) < 13 {
		return truncated(errors.New("no screen descriptor"))
	}
	rest := skip(src[13:], tableSize(src[10]))
	var memory int64
	for pictures := 0; len(rest) > 0 && rest[0] != 0x3b; {
		switch {
		case rest[0] == 0x21 && len(rest) >= 2: // an extension
			rest = skipBlocks(rest[2:])
		case rest[0] == 0x2c && len(rest) >= 11: // a picture
			width, height := int64(rest[5])|int64(rest[6])<<8, int64(rest[7])|int64(rest[8])<<8
			memory += width * height
			pictures++
			if memory > MaxMemory || width*height > MaxPixels {
				return bad(CodeTooLarge, fmt.Sprintf("its pictures are too large to open: %d of them, of %d megapixels in all", pictures, memory/1_000_000), nil)
			}
			if pictures > MaxFrames {
				return bad(CodeTooLong, fmt.Sprintf("it has more than %d pictures", MaxFrames), nil)
			}
			rest = skipBlocks(skip(rest[10:], tableSize(rest[9])+1))
		default:
			return corrupt(fmt.Errorf("a block begins with %#x", rest[0]))
		}
	}
	return nil
}

// tableSize is the length of the colour table that flags tell of.
func tableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func skip(src []byte, n int) []byte { return src[min(n, len(src)):] }

// skipBlocks skips blocks, each of which begins with its length, and the empty one
// that ends them.
func skipBlocks(src []byte) []byte {
	for len(src) > 0 && src[0] != 0 {
		src = skip(src, 1+int(src[0]))
	}
	return skip(src, 1)
}
