package telemetry

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Lengths of names, in characters; see
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html
// and, for dimensions, API_Dimension.html.
const (
	maxName  = 255
	maxValue = 1024
)

// greatest is the value beyond which CloudWatch refuses one, on either side of zero.
var greatest = math.Ldexp(1, 360)

// ErrMetric means that a metric has a name, or a value, that CloudWatch would not take.
var ErrMetric = errors.New("telemetry: a metric can't be recorded")

// Check says what CloudWatch would not take of a measurement, wrapping ErrMetric.
func (m Measurement) Check() error {
	return errors.Join(m.Metric.check(), m.checkOf(), m.checkValue())
}

// checkValue looks at the value alone, for a metric that is known to be sound.
func (m Measurement) checkValue() error {
	if !(math.Abs(m.Value) <= greatest) { // NaN neither
		return fmt.Errorf("%w: %s is %v", ErrMetric, m.Metric.Name, m.Value)
	}
	return nil
}

func (m Metric) check() error {
	switch {
	case !sound(m.Name, maxName):
		return fmt.Errorf("%w: its name is %.40q", ErrMetric, m.Name)
	case m.Name == "_aws" || m.Name == m.By:
		return fmt.Errorf("%w: the name %q is taken", ErrMetric, m.Name)
	case m.By != "" && (!sound(m.By, maxName) || m.By == "_aws" || strings.HasPrefix(m.By, ":")):
		return fmt.Errorf("%w: the dimension of %s is %.40q", ErrMetric, m.Name, m.By)
	case m.Unit != "" && !sound(string(m.Unit), maxName):
		return fmt.Errorf("%w: the unit of %s is %.40q", ErrMetric, m.Name, string(m.Unit))
	}
	return nil
}

// checkOf looks at the value of the dimension, which a metric without one does not have.
func (m Measurement) checkOf() error {
	switch {
	case m.Metric.By == "" && m.Of != "":
		return fmt.Errorf("%w: %s has no dimension, but one of the value %.40q", ErrMetric, m.Metric.Name, m.Of)
	case m.Metric.By != "" && !sound(m.Of, maxValue):
		return fmt.Errorf("%w: the %s of %s is %.40q", ErrMetric, m.Metric.By, m.Metric.Name, m.Of)
	}
	return nil
}

// sound reports whether text may stand for a name: printable ASCII that JSON need not escape,
// and not blank alone.
func sound(text string, longest int) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return len(text) <= longest && strings.TrimSpace(text) != ""
}
