package telemetry

import (
	"math"
	"strconv"
	"time"
)

// Limits of one document.
const (
	// maxMetrics and maxValues are the format's; what exceeds them is dropped without a word.
	maxMetrics = 100
	maxValues  = 100
	// maxTogether bounds the values of all metrics of a document, so that it stays
	// within the 256 KB that a line of Lambda's log may have: a value has up to 24
	// bytes, a metric's two names and unit up to 800.
	maxTogether = 5000
)

// lines are documents, one after the other in one buffer that is used again.
type lines struct {
	namespace string
	at        int64
	data      []byte
	ends      []int
	parts     []part
	cut       [][]byte
}

// A part is what a document has of one metric.
type part struct {
	metric *Metric
	values []float64
}

func (l *lines) begin(namespace string, at time.Time) {
	l.namespace, l.at = namespace, at.UnixMilli()
	l.data, l.ends = l.data[:0], l.ends[:0]
}

// add writes a group's documents and empties its series.
func (l *lines) add(g *group) {
	for first := 0; ; first += maxValues {
		together := 0
		for _, s := range g.series {
			p := part{&s.metric, s.part(first)}
			if len(p.values) == 0 {
				continue
			}
			if len(l.parts) == maxMetrics || together+len(p.values) > maxTogether {
				l.document(g)
				together = 0
			}
			l.parts = append(l.parts, p)
			together += len(p.values)
		}
		if len(l.parts) == 0 {
			break
		}
		l.document(g)
	}
	for _, s := range g.series {
		s.values = s.values[:0]
	}
}

// document writes the parts that were gathered. Names need no escapes (see sound).
func (l *lines) document(g *group) {
	b := append(l.data, `{"_aws":{"Timestamp":`...)
	b = strconv.AppendInt(b, l.at, 10)
	b = append(b, `,"CloudWatchMetrics":[{"Namespace":`...)
	b = quoted(b, l.namespace)
	b = append(b, `,"Dimensions":[[`...)
	if g.by != "" {
		b = quoted(b, g.by)
	}
	b = append(b, `]],"Metrics":[`...)
	for i, p := range l.parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = quoted(append(b, `{"Name":`...), p.metric.Name)
		if p.metric.Unit != "" {
			b = quoted(append(b, `,"Unit":`...), string(p.metric.Unit))
		}
		b = append(b, '}')
	}
	b = append(b, `]}]}`...)
	if g.by != "" {
		b = quoted(append(quoted(append(b, ','), g.by), ':'), g.of)
	}
	for _, p := range l.parts {
		b = numbers(append(quoted(append(b, ','), p.metric.Name), ':'), p.values)
	}
	l.data = append(b, '}', '\n')
	l.ends = append(l.ends, len(l.data))
	l.parts = l.parts[:0]
}

// all gives the documents, each with the end of its line.
func (l *lines) all() [][]byte {
	l.cut = l.cut[:0]
	begin := 0
	for _, end := range l.ends {
		l.cut = append(l.cut, l.data[begin:end])
		begin = end
	}
	return l.cut
}

func quoted(b []byte, text string) []byte { return append(append(append(b, '"'), text...), '"') }

// numbers writes one number, or several as an array.
func numbers(b []byte, values []float64) []byte {
	if len(values) == 1 {
		return number(b, values[0])
	}
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = number(b, v)
	}
	return append(b, ']')
}

func number(b []byte, v float64) []byte {
	format := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}
