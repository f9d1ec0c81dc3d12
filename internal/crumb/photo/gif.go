package photo

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
	"io"
)

func inspectGIF(src []byte) (info, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return info{}, refuse(err)
	}
	// A byte for each pixel of the frame, which lies within the canvas, and
	// four for each of the canvas.
	memory := 5 * int64(config.Width) * int64(config.Height)
	return info{width: config.Width, height: config.Height, orientation: 1, memory: memory}, nil
}

// decodeGIF decodes the first frame and puts it in its place on the canvas,
// which is transparent where the frame does not cover it.
func decodeGIF(r io.Reader, in info) (image.Image, error) {
	frame, err := gif.Decode(r)
	if err != nil {
		return nil, err
	}
	canvas := image.Rect(0, 0, in.width, in.height)
	if frame.Bounds() == canvas {
		return frame, nil
	}
	img := image.NewNRGBA(canvas)
	draw.Draw(img, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return img, nil
}
