package cloudwatch

import (
	"context"
	"math"
	"strings"
	"time"
)

// What PutMetricData takes; see
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html.
const (
	maxData       = 1000
	maxPutValues  = 150
	maxDimensions = 30
	longestAgo    = 14 * 24 * time.Hour
	longestAhead  = 2 * time.Hour
)

// greatest is the most that a value may be, on either side of zero.
var greatest = math.Ldexp(1, 360)

type putInput struct {
	Namespace  string
	MetricData []datum
}

type datum struct {
	MetricName      string
	Dimensions      []dimension
	Timestamp       *timestamp
	Value           *float64
	Values, Counts  []float64
	StatisticValues *struct{ SampleCount, Sum, Minimum, Maximum float64 }
	Unit            string
}

type empty struct{}

// putMetricData takes all of a call's data, or none.
func (db *DB) putMetricData(_ context.Context, in *putInput) (*empty, error) {
	switch {
	case in.Namespace == "":
		return nil, missing("Namespace")
	case strings.HasPrefix(in.Namespace, "AWS/"):
		return nil, invalid("The value AWS/ for parameter Namespace is invalid.")
	case len(in.MetricData) == 0:
		return nil, missing("MetricData")
	case len(in.MetricData) > maxData:
		return nil, invalid("The collection MetricData must not have a size greater than %d.", maxData)
	}
	now := db.config.Now()
	sets := make([]data, len(in.MetricData))
	for i := range in.MetricData {
		d := &in.MetricData[i]
		if d.Timestamp == nil {
			d.Timestamp = &timestamp{now}
		}
		var err error
		if sets[i], err = d.read(now); err != nil {
			return nil, err
		}
	}
	for i, d := range in.MetricData {
		db.add(key{in.Namespace, d.MetricName, canonical(d.Dimensions), d.Unit}, d.Timestamp.Time, sets[i])
	}
	return nil, nil
}

// read checks a datum and gives its measurements.
func (d *datum) read(now time.Time) (set data, err error) {
	switch {
	case d.MetricName == "":
		return set, missing("MetricName")
	case len(d.Dimensions) > maxDimensions:
		return set, invalid("The collection Dimensions must not have a size greater than %d.", maxDimensions)
	case d.Timestamp.Before(now.Add(-longestAgo)), d.Timestamp.After(now.Add(longestAhead)):
		return set, invalid("The parameter Timestamp must specify a time within the past two weeks and no more than two hours in the future.")
	case len(d.Values) > maxPutValues:
		return set, invalid("The collection Values must not have a size greater than %d.", maxPutValues)
	case d.Counts != nil && len(d.Counts) != len(d.Values):
		return set, invalid("The parameters Values and Counts must be of the same size.")
	}
	for _, dimension := range d.Dimensions {
		if dimension.Name == "" || dimension.Value == "" || strings.HasPrefix(dimension.Name, ":") {
			return set, invalid("The dimension %q=%q is invalid.", dimension.Name, dimension.Value)
		}
	}
	d.Unit = unitOr(d.Unit)
	kinds := 0
	if d.Value != nil {
		kinds++
		set.add(of(*d.Value, 1))
	}
	for i, v := range d.Values {
		times := 1.0
		if d.Counts != nil {
			times = d.Counts[i]
		}
		set.add(of(v, times))
	}
	if len(d.Values) > 0 {
		kinds++
	}
	if s := d.StatisticValues; s != nil {
		kinds++
		set.add(data{n: s.SampleCount, sum: s.Sum, min: s.Minimum, max: s.Maximum})
	}
	if kinds != 1 {
		return set, contradiction("Exactly one of the parameters Value, Values and StatisticValues is required.")
	}
	for _, v := range []float64{set.sum, set.min, set.max} {
		if !(math.Abs(v) <= greatest) {
			return set, invalid("The value %v is invalid.", v)
		}
	}
	return set, nil
}

func unitOr(unit string) string {
	if unit == "" {
		return "None"
	}
	return unit
}
