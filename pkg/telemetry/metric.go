package telemetry

import (
	"math"
	"time"
)

// A Unit is a unit of CloudWatch's; see
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html.
type Unit string

// The units that are used here. Others of CloudWatch's list are as good.
const (
	None         Unit = "None"
	Count        Unit = "Count"
	Seconds      Unit = "Seconds"
	Milliseconds Unit = "Milliseconds"
	Bytes        Unit = "Bytes"
	Percent      Unit = "Percent"
)

// A Kind says what becomes of several measurements of one metric.
type Kind uint8

const (
	// Distribution keeps every value, so that percentiles can be told.
	Distribution Kind = iota
	// Counter adds values up: how often something happened.
	Counter
	// Gauge is a level that was seen: the last one tells how it stands. CloudWatch
	// keeps each value that was seen.
	Gauge
)

// A Metric is what is measured.
type Metric struct {
	// Name is at most 255 characters of ASCII, without quotes, backslashes and control characters,
	// and no member of the line that it is written on: not "_aws", not By.
	Name string
	// Unit; empty means None.
	Unit Unit
	// Kind of the metric; the zero value is Distribution.
	Kind Kind
	// By is the name of its one dimension, ByQueue for one; empty means that it has
	// none. Each value of a dimension is a metric of its own, and is paid for.
	By string
}

// A Measurement is one value of a metric. Metric has methods that make them.
type Measurement struct {
	Metric Metric
	// Of is the value of the metric's dimension, such as the queue's name; at most
	// 1,024 characters, as Name's.
	Of string
	// Value is in the metric's unit.
	Value float64
}

// Value is the measurement of a value in the metric's unit.
func (m Metric) Value(of string, value float64) Measurement {
	return Measurement{Metric: m, Of: of, Value: value}
}

// Times is the measurement that something happened n times.
func (m Metric) Times(of string, n int) Measurement { return m.Value(of, float64(n)) }

// Took is the measurement of a time, in the metric's unit (Seconds, or else
// Milliseconds) to a tenth of a millisecond. Below zero, where two clocks differ, is zero.
func (m Metric) Took(of string, d time.Duration) Measurement {
	tenths := math.Round(float64(max(d, 0)) / float64(100*time.Microsecond))
	if m.Unit == Seconds {
		return m.Value(of, tenths/10_000)
	}
	return m.Value(of, tenths/10)
}
