package sizingplot

import (
	"math"

	"gonum.org/v1/plot"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// every marks an axis at each multiple of a step, up to the most.
func every(step, most float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for n := 0.0; n*step <= most; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: sizing.Number(n * step)})
	}
	return ticks
}

// round marks an axis at up to ten round numbers.
func round(most float64) plot.ConstantTicks {
	step := math.Pow(10, math.Floor(math.Log10(most))-1)
	for _, times := range []float64{1, 2, 5, 10, 20} {
		if most/(step*times) <= 10 {
			return every(step*times, most)
		}
	}
	return every(most, most)
}
