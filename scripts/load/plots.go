package main

import (
	"bytes"
	"fmt"
	"image/color"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours are told apart by people who see few of them as well.
// https://jfly.uni-koeln.de/color/
var colours = []color.RGBA{
	{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {213, 94, 0, 255},
	{204, 121, 167, 255}, {86, 180, 233, 255}, {120, 120, 40, 255}, {90, 90, 90, 255},
}

// besides are the hours that the axis goes on for, beside which the names stand.
const besides = 3.5

// A line is a queue's values, one for each slice of the day.
type line struct {
	name   string
	values []float64
}

// overTheDay draws lines over the hours of the day that began at a time.
func overTheDay(title, unit string, began time.Time, lines []line) ([]byte, error) {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	p.Y.Label.Text = unit
	p.Y.Min = 0
	p.X.Tick.Marker = hours(began)
	p.X.Max = 24 + besides
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		points := make(plotter.XYs, len(l.values))
		for at, v := range l.values {
			points[at] = plotter.XY{X: float64(at) * slice.Hours(), Y: v}
		}
		drawn, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("drawing %s of %s: %w", title, l.name, err)
		}
		drawn.Color = colours[i%len(colours)]
		drawn.Width = vg.Points(1.5)
		if i >= len(colours) {
			drawn.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
		p.Add(drawn)
		p.Legend.Add(l.name, drawn)
	}
	return svg(p)
}

func svg(p *plot.Plot) ([]byte, error) {
	canvas := vgsvg.New(24*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// hours marks every third hour of the day with its name in UTC.
func hours(began time.Time) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	first := began.UTC().Truncate(time.Hour).Add(time.Hour)
	for at := first; at.Before(began.Add(24 * time.Hour)); at = at.Add(time.Hour) {
		tick := plot.Tick{Value: at.Sub(began).Hours()}
		if at.Hour()%3 == 0 {
			tick.Label = at.Format("15:04")
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
