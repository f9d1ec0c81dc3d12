package cloudwatch

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A key is what tells metrics apart.
type key struct {
	namespace, name string
	dimensions      string // see canonical
	unit            string
}

// A dimension is a name and a value.
type dimension struct{ Name, Value string }

// canonical gives dimensions as one text, whatever their order.
func canonical(of []dimension) string {
	sorted := slices.SortedFunc(slices.Values(of), func(a, b dimension) int { return cmp.Compare(a.Name, b.Name) })
	var text strings.Builder
	for _, d := range sorted {
		text.WriteString(d.Name + "\x00" + d.Value + "\x00")
	}
	return text.String()
}

// parse gives the dimensions of a canonical text.
func parse(canonical string) []dimension {
	parts := strings.Split(canonical, "\x00")
	found := make([]dimension, 0, len(parts)/2)
	for i := 0; i+1 < len(parts); i += 2 {
		found = append(found, dimension{parts[i], parts[i+1]})
	}
	return found
}

// A metric is what was measured of one, by the minute.
type metric struct {
	minutes []*minute // in order
	last    time.Time
}

// A minute is what was measured in it.
type minute struct {
	begin int64 // Unix seconds
	data
}

// data is a set of measurements.
type data struct {
	n, sum, min, max float64
	// values and how often each was measured; of sets that came as their statistics,
	// nothing.
	values map[float64]float64
}

// maxValues is how many values of one minute are told apart; those beyond are rounded to
// three digits, as CloudWatch rounds too.
const maxValues = 2000

// at gives the minute of a time.
func (m *metric) at(t time.Time) *minute {
	begin := t.Unix() - t.Unix()%60
	i, found := slices.BinarySearchFunc(m.minutes, begin, func(m *minute, begin int64) int { return cmp.Compare(m.begin, begin) })
	if found {
		return m.minutes[i]
	}
	made := &minute{begin: begin}
	m.minutes = slices.Insert(m.minutes, i, made)
	if len(m.minutes) > MaxMinutes {
		m.minutes = m.minutes[1:]
	}
	return made
}

// of gives a set of one value, measured so many times.
func of(value, times float64) data {
	return data{n: times, sum: value * times, min: value, max: value, values: map[float64]float64{value: times}}
}

func (d *data) add(more data) {
	if more.n == 0 {
		return
	}
	if d.n == 0 {
		d.min, d.max = more.min, more.max
	}
	d.n, d.sum, d.min, d.max = d.n+more.n, d.sum+more.sum, min(d.min, more.min), max(d.max, more.max)
	if d.values == nil {
		d.values = map[float64]float64{}
	}
	for value, times := range more.values {
		if len(d.values) >= maxValues {
			value = threeDigits(value)
		}
		d.values[value] += times
	}
}

// threeDigits rounds a value.
func threeDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/scale) * scale
}

// percentile gives the least value that so many of a hundred measurements do not exceed;
// false where only statistics are known of some.
func (d *data) percentile(p float64) (float64, bool) {
	known := 0.0
	for _, times := range d.values {
		known += times
	}
	if known < d.n {
		return d.min, d.min == d.max
	}
	reached := 0.0
	for _, value := range slices.Sorted(maps.Keys(d.values)) {
		if reached += d.values[value]; reached >= p/100*d.n {
			return value, true
		}
	}
	return d.max, true
}
