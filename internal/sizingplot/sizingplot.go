// Package sizingplot draws what package sizing computes: how waits grow as workers get
// busy, and what a spike does to a queue. The same input gives the same bytes.
package sizingplot

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Format is what a plot is drawn as.
type Format string

// The formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

const (
	width  = 20 * vg.Centimeter
	height = 10 * vg.Centimeter
)

// Colours that are told apart by people who see few of them as well.
// https://jfly.uni-koeln.de/color/
var (
	blue   = color.RGBA{0, 114, 178, 255}
	orange = color.RGBA{230, 159, 0, 255}
	green  = color.RGBA{0, 158, 115, 255}
	red    = color.RGBA{213, 94, 0, 255}
	grey   = color.RGBA{110, 110, 110, 255}
)

// newPlot makes an empty plot with a grid.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.BackgroundColor = color.White
	p.Y.Min, p.X.Min = 0, 0
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.Padding, p.Legend.YOffs, p.Legend.XOffs = vg.Points(3), -vg.Points(4), vg.Points(6)
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
		style.Font.Size = vg.Points(9)
	}
	p.Title.TextStyle.Font.Size = vg.Points(11)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	return p
}

// line adds a line, with a name in the legend unless that is empty.
func line(p *plot.Plot, name string, points plotter.XYs, c color.Color, dashes ...vg.Length) error {
	drawn, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("sizingplot: drawing %q: %w", name, err)
	}
	drawn.Color, drawn.Width, drawn.Dashes = c, vg.Points(1.6), dashes
	p.Add(drawn)
	if name != "" {
		p.Legend.Add(name, drawn)
	}
	return nil
}

// note writes a text at a place.
func note(p *plot.Plot, x, y float64, says string, c color.Color, offset vg.Point) error {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{says}})
	if err != nil {
		return fmt.Errorf("sizingplot: writing %q: %w", says, err)
	}
	labels.TextStyle[0].Font.Variant, labels.TextStyle[0].Font.Size = "Sans", vg.Points(8.5)
	labels.TextStyle[0].Color = c
	labels.Offset = offset
	p.Add(labels)
	return nil
}

// dot marks a place.
func dot(p *plot.Plot, x, y float64, c color.Color) error {
	points, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
	if err != nil {
		return fmt.Errorf("sizingplot: marking a place: %w", err)
	}
	points.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
	p.Add(points)
	return nil
}

// render gives the plot's bytes.
func render(p *plot.Plot, format Format) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch format {
	case SVG:
		canvas := vgsvg.New(width, height)
		p.Draw(framed(draw.New(canvas)))
		_, err = canvas.WriteTo(&out)
	case PNG:
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
		p.Draw(framed(draw.New(canvas)))
		_, err = canvas.WriteTo(&out)
	default:
		return nil, fmt.Errorf("sizingplot: the format is %q: svg or png", format)
	}
	if err != nil {
		return nil, fmt.Errorf("sizingplot: drawing: %w", err)
	}
	// Arial is as wide as Liberation Sans; who has neither gets another font without serifs.
	return bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

// framed fills the canvas with white and leaves a margin, so that no label is cut.
func framed(c draw.Canvas) draw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	return draw.Crop(c, vg.Points(5), -vg.Points(14), vg.Points(4), -vg.Points(6))
}
