package clip

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"time"

	"golang.org/x/image/draw"
)

// posterQuality is that of the JPEG: above it files grow faster than they look
// better.
const posterQuality = 82

// Segment makes one segment of the moving picture, counted from zero. onFrame, where
// it is not nil, is called after each frame.
//
// Several segments of one clip can be made by several Clips of the same source.
func (c *Clip) Segment(ctx context.Context, i int, onFrame func()) (data []byte, err error) {
	defer rescue(ctx, &err)
	var times []moment
	for t := i * perSegment; t < min((i+1)*perSegment, c.Ticks()); t++ {
		times = append(times, moment{time.Duration(t) * tick, 1})
	}
	return c.pictures(ctx, times, Edge, onFrame)
}

// Join puts all segments of the moving picture together, in their order.
func (c *Clip) Join(segments [][]byte) Picture {
	w, h := c.fit(Edge)
	return joined(w, h, segments...)
}

// Preview makes the preview: a dozen moments of the film.
func (c *Clip) Preview(ctx context.Context) (p Picture, err error) {
	defer rescue(ctx, &err)
	times := make([]moment, moments)
	for i := range times {
		times[i] = moment{c.Duration * time.Duration(i) / moments, momentTicks}
	}
	data, err := c.pictures(ctx, times, PreviewEdge, nil)
	w, h := c.fit(PreviewEdge)
	return joined(w, h, data), err
}

// Poster makes the poster: what is seen after a third of the film, since the
// beginning is often dark.
func (c *Clip) Poster(ctx context.Context) (p Picture, err error) {
	defer rescue(ctx, &err)
	w, h := c.fit(PosterEdge)
	picture, err := c.scaled(ctx, c.film.at(c.Duration/3), w, h)
	if err != nil {
		return Picture{}, err
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: posterQuality}); err != nil {
		return Picture{}, fmt.Errorf("clip: encoding the poster: %w", err)
	}
	return Picture{w, h, file.Bytes()}, nil
}

func joined(w, h int, blocks ...[]byte) Picture {
	file := header(w, h)
	for _, b := range blocks {
		file = append(file, b...)
	}
	return Picture{w, h, append(file, trailer)}
}

// A moment is a time of the film, and for how many ticks it is shown.
type moment struct {
	at    time.Duration
	ticks int
}

// pictures makes the blocks of some moments, which share a palette. The first is
// drawn whole, the others where they differ from the one before.
func (c *Clip) pictures(ctx context.Context, times []moment, edge int, onFrame func()) ([]byte, error) {
	w, h := c.fit(edge)
	var pictures []*image.RGBA
	var ticks []int
	last := -1
	for _, m := range times {
		if frame := c.film.at(m.at); frame != last {
			picture, err := c.scaled(ctx, frame, w, h)
			if err != nil {
				return nil, err
			}
			pictures, ticks, last = append(pictures, picture), append(ticks, 0), frame
		}
		ticks[len(ticks)-1] += m.ticks
		if onFrame != nil {
			onFrame()
		}
	}
	colours := newPalette(pictures)
	var blocks, before []byte
	for i, picture := range pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		indices := colours.indices(picture)
		blocks = appendPicture(blocks, colours, changed(indices, before), w, h, ticks[i])
		before = indices
	}
	return blocks, nil
}

// changed makes transparent what is as it was before.
func changed(indices, before []byte) []byte {
	if before == nil {
		return indices
	}
	out := make([]byte, len(indices))
	for i, index := range indices {
		out[i] = index
		if index == before[i] {
			out[i] = transparent
		}
	}
	return out
}

// scaled decodes a frame and draws it w × h pixels large.
func (c *Clip) scaled(ctx context.Context, frame, w, h int) (*image.RGBA, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	picture, err := c.film.frame(ctx, frame)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if b := picture.Bounds(); b.Dx() == w && b.Dy() == h {
		draw.Draw(out, out.Rect, picture, b.Min, draw.Src)
	} else {
		draw.BiLinear.Scale(out, out.Rect, picture, b, draw.Src, nil)
	}
	return out, nil
}

// fit gives the size at which the longer edge is at most edge. It never enlarges,
// and no edge becomes shorter than a pixel.
func (c *Clip) fit(edge int) (w, h int) {
	w, h = c.Width, c.Height
	long, short := max(w, h), min(w, h)
	if long <= edge {
		return w, h
	}
	short = max(1, (short*edge+long/2)/long)
	if w >= h {
		return edge, short
	}
	return short, edge
}
