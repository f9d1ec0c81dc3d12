package main

import (
	"bytes"
	"fmt"
	"image/color"
	"net/http"
	"os"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Colours that people tell apart who see few of them as well.
// https://jfly.uni-koeln.de/color/
var (
	blue       = color.RGBA{0, 114, 178, 255}
	orange     = color.RGBA{230, 159, 0, 255}
	green      = color.RGBA{0, 158, 115, 255}
	vermillion = color.RGBA{213, 94, 0, 255}
	grey       = color.RGBA{90, 90, 90, 255}
)

// A curve is a line of a plot, or the points alone.
type curve struct {
	name   string
	color  color.RGBA
	points plotter.XYs
	dots   bool
	dashed bool
}

// A figure is one plot over the run's seconds.
type figure struct {
	title  string
	curves []curve
}

// draw writes the run's plots, one below the other, as SVG.
func (o *outcome) draw(file string) error {
	figures := []figure{o.rates(), o.depths(), o.waitings(), o.memories()}
	end := o.lastFinished().Sub(o.began).Seconds()
	plots := make([][]*plot.Plot, len(figures))
	for i, f := range figures {
		p, err := f.plot(max(end, o.ended.Sub(o.began).Seconds()), o.standstill())
		if err != nil {
			return fmt.Errorf("drawing %s: %w", f.title, err)
		}
		plots[i] = []*plot.Plot{p}
	}
	plots[len(plots)-1][0].X.Label.Text = "seconds"
	canvas := vgsvg.New(22*vg.Centimeter, vg.Length(6.5*float64(len(figures)))*vg.Centimeter)
	tiles := draw.Tiles{Rows: len(figures), Cols: 1, PadY: vg.Points(10), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadRight: vg.Points(12)}
	paper := draw.New(canvas)
	paper.SetColor(color.White) // on dark pages as well
	paper.Fill(paper.Rectangle.Path())
	for i, row := range plot.Align(plots, tiles, paper) {
		plots[i][0].Draw(row[0])
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return err
	}
	// Arial is as wide as Liberation Sans; who has neither gets another font without serifs.
	svg := bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;"))
	return os.WriteFile(file, svg, 0o644)
}

// standstill is when the relay stood still, in seconds; nothing where it did not.
func (o *outcome) standstill() []float64 {
	if o.resumed.IsZero() {
		return nil
	}
	return []float64{o.stopped.Sub(o.began).Seconds(), o.resumed.Sub(o.began).Seconds()}
}

// shade marks a time for the whole height of a plot.
func shade(p *plot.Plot, from, to float64) error {
	top := p.Y.Max
	area, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: 0}, {X: to, Y: 0}, {X: to, Y: top}, {X: from, Y: top}})
	if err != nil {
		return err
	}
	area.Color, area.LineStyle.Width = color.RGBA{235, 225, 225, 255}, 0
	p.Add(area)
	p.Legend.Add("relay stopped", area)
	return nil
}

func (f figure) plot(end float64, standstill []float64) (*plot.Plot, error) {
	p := plot.New()
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	for _, c := range f.curves {
		for _, at := range c.points {
			p.Y.Max = max(p.Y.Max, at.Y) // that of a new plot is below any number
		}
	}
	if standstill != nil {
		if err := shade(p, standstill[0], standstill[1]); err != nil {
			return nil, err
		}
	}
	p.Title.Text, p.Title.Padding = f.title, vg.Points(4)
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.Padding = 18*vg.Centimeter, vg.Points(3) // beside the run
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	for _, c := range f.curves {
		if len(c.points) == 0 {
			continue
		}
		if c.dots {
			dots, err := plotter.NewScatter(c.points)
			if err != nil {
				return nil, err
			}
			dots.Color, dots.Radius, dots.Shape = c.color, vg.Points(0.8), draw.CircleGlyph{}
			p.Add(dots)
			p.Legend.Add(c.name, dots)
			continue
		}
		line, err := plotter.NewLine(c.points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = c.color, vg.Points(1.5)
		if c.dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		p.Add(line)
		p.Legend.Add(c.name, line)
	}
	p.Y.Min, p.X.Min, p.X.Max = 0, 0, end*1.2
	p.Y.Max *= 1.1
	p.X.Tick.Marker, p.Y.Tick.Marker = marks(end), marks(p.Y.Max)
	return p, nil
}

// marks are up to ten round numbers.
func marks(most float64) plot.ConstantTicks {
	step := 1.0
	for i := 0; most/step > 8; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	var ticks plot.ConstantTicks
	for at := 0.0; at <= most; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%g", at)})
	}
	return ticks
}

// level is a line across the run.
func (o *outcome) level(name string, at float64) curve {
	end := max(o.lastFinished().Sub(o.began), o.ended.Sub(o.began)).Seconds()
	return curve{name: name, color: grey, dashed: true, points: plotter.XYs{{X: 0, Y: at}, {X: end, Y: at}}}
}

// perSecond counts what happened in each second, on an average of three.
func perSecond(name string, c color.RGBA, times []time.Duration) curve {
	var counts []float64
	for _, t := range times {
		for len(counts) <= int(t.Seconds()) {
			counts = append(counts, 0)
		}
		if t >= 0 {
			counts[int(t.Seconds())]++
		}
	}
	points := make(plotter.XYs, len(counts))
	for i := range counts {
		sum, n := 0.0, 0.0
		for j := max(0, i-1); j <= min(i+1, len(counts)-1); j++ {
			sum, n = sum+counts[j], n+1
		}
		points[i] = plotter.XY{X: float64(i) + 0.5, Y: sum / n}
	}
	return curve{name: name, color: c, points: points}
}

func (o *outcome) rates() figure {
	times := map[int][]time.Duration{}
	for _, a := range o.answers {
		times[a.status] = append(times[a.status], a.at)
	}
	var finished []time.Duration
	for _, j := range o.jobs {
		if !j.Finished.IsZero() {
			finished = append(finished, j.Finished.Sub(o.began))
		}
	}
	f := figure{title: "Jobs a second", curves: []curve{
		perSecond("accepted", blue, times[http.StatusAccepted]), perSecond("refused", orange, times[http.StatusServiceUnavailable]),
		perSecond("done", green, finished), o.level("drain rate", float64(o.plan.DrainRate)),
	}}
	return f
}

func (o *outcome) depths() figure {
	var depth, spilled plotter.XYs
	for _, s := range o.samples {
		x := s.at.Sub(o.began).Seconds()
		depth = append(depth, plotter.XY{X: x, Y: float64(s.depth)})
		spilled = append(spilled, plotter.XY{X: x, Y: float64(s.spilled)})
	}
	f := figure{title: "Jobs in the queue", curves: []curve{
		{name: "depth", color: blue, points: depth}, o.level("limit", float64(o.plan.Limit)),
	}}
	if o.plan.Queue.Full == "spill" {
		f.curves = append(f.curves, curve{name: "spilled", color: orange, points: spilled})
	}
	return f
}

func (o *outcome) waitings() figure {
	var points plotter.XYs
	for _, j := range o.jobs {
		if !j.Started.IsZero() && !o.spilled[j.ID] {
			points = append(points, plotter.XY{X: j.Started.Sub(o.began).Seconds(), Y: j.Started.Sub(j.Created).Seconds()})
		}
	}
	return figure{title: "How long each job had waited when it began, s", curves: []curve{
		{name: "a job", color: green, points: points, dots: true}, o.level("longest wait", o.plan.Queue.LongestWait.Seconds()),
	}}
}

func (o *outcome) memories() figure {
	var points plotter.XYs
	for _, s := range o.samples {
		if s.bytes > 0 {
			points = append(points, plotter.XY{X: s.at.Sub(o.began).Seconds(), Y: float64(s.bytes) / 1e6})
		}
	}
	return figure{title: "Memory of the stack's processes, MB", curves: []curve{{name: "all of them", color: vermillion, points: points}}}
}
