package report

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

// A Format is that of a plot.
type Format string

// The formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// Sizes of a plot.
const (
	width       = 22 * vg.Centimeter
	panelHeight = 5.3 * vg.Centimeter
	titleHeight = 1.6 * vg.Centimeter
	// mostDrawn bounds the points of a line: more can't be told apart.
	mostDrawn = 240
)

// colours are told apart by people who see few of them as well.
// https://jfly.uni-koeln.de/color/
var colours = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {120, 120, 40, 255}}

// A panel is one of the plots that stand below one another, with the time in common.
type panel struct {
	label string // of the vertical axis, with its unit
	lines []line
	// always is set for the panel that is drawn even where it shows nothing in any run.
	always bool
}

// A line is a value over time; each run has one, in its colour. The second of a panel
// is dashed.
type line struct {
	of func(simulation.Point) float64
	// sum adds up what comes of the points.
	sum bool
}

func panels(t timeUnit) []panel {
	rate := func(of func(simulation.Point) int) func(simulation.Point) float64 {
		return func(p simulation.Point) float64 { return float64(of(p)) / p.For.Seconds() }
	}
	return []panel{
		{label: "jobs waiting", always: true, lines: []line{{of: func(p simulation.Point) float64 { return float64(p.Depth) }}}},
		{label: "jobs spilled", lines: []line{{of: func(p simulation.Point) float64 { return float64(p.Spilled) }}}},
		{label: "age of the oldest, " + t.name, lines: []line{{of: func(p simulation.Point) float64 { return t.of(p.Age) }}}},
		{label: "in progress (dashed: workers)", lines: []line{
			{of: func(p simulation.Point) float64 { return p.InProgress }},
			{of: func(p simulation.Point) float64 { return float64(p.Workers) }},
		}},
		{label: "accepted a second", lines: []line{{of: rate(func(p simulation.Point) int { return p.Accepted })}}},
		{label: "refused a second", lines: []line{{of: rate(func(p simulation.Point) int { return p.Refused })}}},
		{label: "done so far", lines: []line{{of: func(p simulation.Point) float64 { return float64(p.Done) }, sum: true}}},
		{label: "failed attempts a second", lines: []line{{of: rate(func(p simulation.Point) int { return p.Failed })}}},
	}
}

// Plot draws runs above one another: what waits, its age, what is in progress, what is
// accepted and refused, over time. The same runs give the same bytes.
func Plot(title string, runs []*simulation.Result, format Format) ([]byte, error) {
	longest, oldest := time.Duration(0), time.Duration(0)
	for _, r := range runs {
		longest, oldest = max(longest, r.Lasted), max(oldest, r.Totals.PeakAge)
	}
	over := unitFor(longest)
	var drawn []*plot.Plot
	for _, p := range panels(unitFor(oldest)) {
		if !p.always && p.empty(runs) || p.lines[0].sum && !failed(runs) {
			continue
		}
		one, err := p.draw(runs, over, longest)
		if err != nil {
			return nil, fmt.Errorf("report: drawing %s: %w", p.label, err)
		}
		drawn = append(drawn, one)
	}
	last := drawn[len(drawn)-1]
	last.X.Label.Text = "time since the beginning, " + over.name
	height := vg.Length(len(drawn))*panelHeight + titleHeight
	out, canvas := newCanvas(format, height)
	if out == nil {
		return nil, fmt.Errorf("report: there is no format %q: use svg or png", format)
	}
	compose(canvas, title, runs, drawn)
	return out()
}

// newCanvas gives a white canvas, and what encodes it.
func newCanvas(format Format, height vg.Length) (func() ([]byte, error), draw.Canvas) {
	encode := func(c vg.CanvasWriterTo) func() ([]byte, error) {
		return func() ([]byte, error) {
			var out bytes.Buffer
			_, err := c.WriteTo(&out)
			// Arial is as wide as Liberation Sans; who has neither gets another font without serifs.
			return bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;")), err
		}
	}
	switch format {
	case SVG:
		c := vgsvg.New(width, height)
		return encode(c), draw.New(c)
	case PNG:
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))}
		return encode(c), draw.New(c)
	}
	return nil, draw.Canvas{}
}

// compose puts the title, the runs' names and the panels onto a canvas.
func compose(c draw.Canvas, title string, runs []*simulation.Result, drawn []*plot.Plot) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	head, body := c, draw.Crop(c, 0, 0, 0, -titleHeight)
	style := drawn[0].Title.TextStyle
	style.Font.Variant = "Sans"
	style.Font.Size, style.XAlign, style.YAlign = vg.Points(12), draw.XLeft, draw.YTop
	x, top := head.Min.X+vg.Points(10), head.Max.Y-vg.Points(8)
	head.FillText(style, vg.Point{X: x, Y: top}, title)
	style.Font.Size = vg.Points(9)
	y := top - vg.Points(22)
	for i, r := range runs {
		name := cmp.Or(r.Name, "run")
		line := draw.LineStyle{Color: colours[i%len(colours)], Width: vg.Points(3)}
		head.StrokeLine2(line, x, y-vg.Points(5), x+vg.Points(18), y-vg.Points(5))
		head.FillText(style, vg.Point{X: x + vg.Points(23), Y: y}, name)
		x += vg.Points(42) + style.Width(name)
	}
	rows := make([][]*plot.Plot, len(drawn))
	for i := range drawn {
		rows[i] = []*plot.Plot{drawn[i]}
	}
	tiles := draw.Tiles{Rows: len(drawn), Cols: 1, PadY: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(14), PadBottom: vg.Points(4)}
	for i, canvases := range plot.Align(rows, tiles, body) {
		drawn[i].Draw(canvases[0])
	}
}

// failed tells whether anything did: else what is done is what was accepted.
func failed(runs []*simulation.Result) bool {
	return slices.ContainsFunc(runs, func(r *simulation.Result) bool { return r.Totals.Failed > 0 })
}

func (p panel) empty(runs []*simulation.Result) bool {
	for _, r := range runs {
		for _, l := range p.lines {
			if slices.ContainsFunc(r.Points, func(p simulation.Point) bool { return l.of(p) != 0 }) {
				return false
			}
		}
	}
	return true
}

func (p panel) draw(runs []*simulation.Result, over timeUnit, longest time.Duration) (*plot.Plot, error) {
	out := plot.New()
	out.Y.Label.Text, out.Y.Min, out.X.Min, out.X.Max = p.label, 0, 0, over.of(longest)
	for _, style := range []*text.Style{&out.Y.Label.TextStyle, &out.X.Label.TextStyle, &out.Y.Tick.Label, &out.X.Tick.Label} {
		style.Font.Variant, style.Font.Size = "Sans", vg.Points(9)
	}
	out.Y.Tick.Marker, out.X.Tick.Marker = numbers{}, over
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	out.Add(grid)
	top := 0.0
	for at, l := range p.lines {
		for i, r := range runs {
			drawn, most, err := l.draw(r, over)
			if err != nil {
				return nil, err
			}
			top = max(top, most)
			drawn.Color = colours[i%len(colours)]
			drawn.Width = vg.Points(1.4)
			if at > 0 {
				drawn.Width, drawn.Dashes = vg.Points(1), []vg.Length{vg.Points(3), vg.Points(3)}
			}
			out.Add(drawn)
		}
	}
	out.Y.Max = cmp.Or(top*1.08, 1)
	return out, nil
}

func (l line) draw(r *simulation.Result, over timeUnit) (*plotter.Line, float64, error) {
	points := plotter.XYs{}
	most, sum := 0.0, 0.0
	course := r.Course(mostDrawn)
	for _, p := range course {
		if 2*p.For >= course[0].For { // the last may be too short to tell a rate
			y := l.of(p)
			if sum += y; l.sum {
				y = sum
			}
			points = append(points, plotter.XY{X: over.of(p.At), Y: y})
			most = max(most, y)
		}
	}
	drawn, err := plotter.NewLine(points)
	return drawn, most, err
}
