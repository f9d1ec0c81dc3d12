package sizingplot

import (
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Spike draws how many jobs wait during and after a spike: with the queue's limit, and
// as it would be without.
func Spike(o sizing.Outcome, format Format) ([]byte, error) {
	p := newPlot(fmt.Sprintf("%s: %s a second for %s, %s afterwards", o.Plan.Queue.Name,
		plain(float64(o.Spike.Arrivals)), sizing.Period(o.Spike.For), plain(float64(o.Spike.Before))),
		"minutes", "jobs that wait")
	end := o.Spike.For
	p.X.Max = 1.12 * minutes(clears(o.Unbounded, end))
	p.Y.Max = 1.15 * math.Max(float64(o.Unbounded.Backlog), float64(o.Plan.Limit))
	p.Legend.XOffs = width * 2 / 3
	p.X.Tick.Marker, p.Y.Tick.Marker = round(p.X.Max), round(p.Y.Max)

	if err := line(p, "without a limit", course(o.Unbounded, end, end), orange); err != nil {
		return nil, err
	}
	if err := line(p, "with it", course(o.Bounded, min(o.Fill, end), end), blue); err != nil {
		return nil, err
	}
	limit := plotter.XYs{{X: 0, Y: float64(o.Plan.Limit)}, {X: p.X.Max, Y: float64(o.Plan.Limit)}}
	if err := line(p, "limit: "+sizing.Count(float64(o.Plan.Limit), "jobs"), limit, grey, vg.Points(3), vg.Points(3)); err != nil {
		return nil, err
	}
	tops := []sizing.Aftermath{o.Unbounded}
	if o.Bounded.Backlog != o.Unbounded.Backlog {
		tops = append(tops, o.Bounded)
	}
	for _, top := range tops {
		x, y := minutes(end), float64(top.Backlog)
		says := fmt.Sprintf("%s: a new one waits %s", sizing.Count(y, "jobs"), sizing.Period(top.Wait))
		if err := errors.Join(dot(p, x, y, grey), note(p, x, y, says, grey, vg.Point{X: vg.Points(7), Y: vg.Points(4)})); err != nil {
			return nil, err
		}
	}
	return render(p, format)
}

// course is a queue that grows until it is full, stays so to the end of the spike, and
// is worked off.
func course(a sizing.Aftermath, full, end time.Duration) plotter.XYs {
	points := plotter.XYs{{X: 0, Y: 0}, {X: minutes(full), Y: float64(a.Backlog)}, {X: minutes(end), Y: float64(a.Backlog)}}
	if a.Clear == math.MaxInt64 {
		return append(points, plotter.XY{X: 3 * minutes(end), Y: float64(a.Backlog)})
	}
	return append(points, plotter.XY{X: minutes(end + a.Clear), Y: 0})
}

// clears is when the queue is empty again, or three times the spike where it never is.
func clears(a sizing.Aftermath, end time.Duration) time.Duration {
	if a.Clear > math.MaxInt64-end {
		return 3 * end
	}
	return end + a.Clear
}

func minutes(d time.Duration) float64 { return d.Minutes() }

func plain(x float64) string { return fmt.Sprintf("%.4g", x) }
