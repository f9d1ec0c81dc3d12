package cloudwatch

import (
	"strconv"
	"strings"
)

// statistic gives what computes a statistic of data; nil for a name that is not known.
// The function says false where the data do not tell.
func statistic(name string) func(*data) (float64, bool) {
	switch name {
	case "SampleCount":
		return func(d *data) (float64, bool) { return d.n, true }
	case "Sum":
		return func(d *data) (float64, bool) { return d.sum, true }
	case "Average":
		return func(d *data) (float64, bool) { return d.sum / d.n, true }
	case "Minimum":
		return func(d *data) (float64, bool) { return d.min, true }
	case "Maximum":
		return func(d *data) (float64, bool) { return d.max, true }
	}
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || strings.Trim(digits, "0123456789.") != "" {
		return nil
	}
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || p > 100 {
		return nil
	}
	return func(d *data) (float64, bool) { return d.percentile(p) }
}
