package telemetry

import "fmt"

type seriesKey struct{ by, of, name string }

// A group is what stands on one line: the metrics of one value of a dimension.
type group struct {
	by, of string
	series []*series
}

// A series is what was recorded of one metric since the last flush.
type series struct {
	metric Metric
	// values are those of a counter added up, in one.
	values []float64
}

// take keeps a value.
func (s *series) take(m *Measurement) error {
	if m.Metric.Unit != s.metric.Unit || m.Metric.Kind != s.metric.Kind {
		return fmt.Errorf("%w: %s was recorded with another unit or kind before", ErrMetric, m.Metric.Name)
	}
	added := s.metric.Kind == Counter && len(s.values) == 1
	if added {
		m.Value += s.values[0]
	}
	if err := m.checkValue(); err != nil {
		return err
	}
	switch {
	case added:
		s.values[0] = m.Value
	case len(s.values) == MaxKept:
		return fmt.Errorf("%w: %s has %d values since the last flush", ErrMetric, m.Metric.Name, MaxKept)
	default:
		s.values = append(s.values, m.Value)
	}
	return nil
}

// part gives the values from one on, as many as a document may have of a metric.
func (s *series) part(first int) []float64 {
	if first >= len(s.values) {
		return nil
	}
	return s.values[first:min(first+maxValues, len(s.values))]
}
