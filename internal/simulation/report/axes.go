package report

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A timeUnit is what times are shown in.
type timeUnit struct {
	name string
	unit time.Duration
}

func (u timeUnit) of(d time.Duration) float64 { return float64(d) / float64(u.unit) }

// unitFor gives the unit in which times up to the longest are small numbers.
func unitFor(longest time.Duration) timeUnit {
	switch {
	case longest > 72*time.Hour:
		return timeUnit{"days", 24 * time.Hour}
	case longest > 6*time.Hour:
		return timeUnit{"hours", time.Hour}
	case longest > 5*time.Minute:
		return timeUnit{"minutes", time.Minute}
	}
	return timeUnit{"seconds", time.Second}
}

// steps are distances between the ticks of a time, in its unit.
var steps = map[time.Duration][]float64{
	time.Second:    {1, 5, 10, 30, 60},
	time.Minute:    {1, 5, 10, 15, 30, 60, 120},
	time.Hour:      {1, 2, 3, 6, 12, 24},
	24 * time.Hour: {1, 7, 14, 28, 91},
}

// Ticks gives those of an axis of times.
func (u timeUnit) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	all := steps[u.unit]
	step := all[len(all)-1]
	for _, s := range all {
		if (most-least)/s <= mostTicks {
			step = s
			break
		}
	}
	for at := math.Ceil(least/step) * step; at <= most; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'f', -1, 64)})
	}
	return ticks
}

// mostTicks bounds those of an axis of times.
const mostTicks = 14

// numbers are the ticks of an axis, with commas between thousands.
type numbers struct{}

func (numbers) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = sizing.Number(t.Value)
		}
	}
	return ticks
}
