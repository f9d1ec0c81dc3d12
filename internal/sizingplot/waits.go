package sizingplot

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// longest is how many service times the axis of waits goes up to.
const longest = 10

// Waits draws the mean wait, in service times, against utilisation: of the plan's
// number of workers, with a dot where its queue stands at the peak, and of one, four
// and ten workers beside it.
func Waits(plan sizing.Plan, format Format) ([]byte, error) {
	p := newPlot(fmt.Sprintf("%s: the wait of a job as its workers get busy", plan.Queue.Name),
		"utilisation (%)", "mean wait (service times)")
	p.X.Max, p.Y.Max = 100, longest
	p.X.Tick.Marker, p.Y.Tick.Marker = every(10, 100), every(2, longest)
	colours := []color.Color{orange, green, red}
	for i, workers := range slices.DeleteFunc([]int{1, 4, 10}, func(n int) bool { return n == plan.Workers }) {
		if err := line(p, named(workers), curve(workers), colours[i], vg.Points(5), vg.Points(2)); err != nil {
			return nil, err
		}
	}
	w := plan.Waiting()
	stands := fmt.Sprintf("%s; the dot: %s at the peak, %.0f %% busy, %s on average", named(plan.Workers), plan.Queue.Name, 100*w.Utilisation, sizing.Period(w.Mean))
	if err := line(p, stands, curve(plan.Workers), blue); err != nil {
		return nil, err
	}
	if err := dot(p, 100*w.Utilisation, inServiceTimes(w), blue); err != nil {
		return nil, err
	}
	return render(p, format)
}

func named(workers int) string { return sizing.Count(float64(workers), "workers") }

// curve is the mean wait at each utilisation, up to where the axis ends.
func curve(workers int) plotter.XYs {
	var points plotter.XYs
	for busy := 0.0; busy < 0.9995; busy += step(busy) {
		wait := sizing.ErlangC(busy*float64(workers), workers) / (float64(workers) * (1 - busy))
		if wait > longest {
			break
		}
		points = append(points, plotter.XY{X: 100 * busy, Y: wait})
	}
	return points
}

// step is finer where the curve is steep.
func step(busy float64) float64 {
	if busy < 0.9 {
		return 0.01
	}
	return 0.001
}

func inServiceTimes(w sizing.Waiting) float64 {
	return min(w.Mean.Seconds()/w.Service.Seconds(), longest)
}
