package report

import (
	"time"

	"gonum.org/v1/plot"

	"github.com/nightshift-go/nightshift/pkg/sizing"
	"strings"
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

// numbers are the ticks of an axis, with commas between thousands.
type numbers struct{}

func (numbers) Ticks(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i, t := range ticks {
		if t.Label != "" && t.Value >= 1000 {
			ticks[i].Label = strings.TrimSpace(sizing.Count(t.Value, ""))
		}
	}
	return ticks
}
