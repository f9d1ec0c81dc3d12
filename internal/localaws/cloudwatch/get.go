package cloudwatch

import (
	"maps"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// A window is the time that a call asks for, in periods.
type window struct{ from, to, period int64 } // Unix seconds

// longestPeriod is a year, in seconds.
const longestPeriod = 366 * 24 * 60 * 60

// newWindow checks times and a period. The start is taken down to the minute, and the
// periods are counted from there; what is measured at the end is not in it.
func newWindow(start, end *timestamp, period int) (w window, err *awsjson.Error) {
	switch {
	case start == nil:
		return w, missing("StartTime")
	case end == nil:
		return w, missing("EndTime")
	case !start.Before(end.Time):
		return w, invalid("The parameter StartTime must be less than the parameter EndTime.")
	case period < 1:
		return w, invalid("The parameter Period must be greater than or equal to 1.")
	case period > longestPeriod:
		return w, invalid("The parameter Period must be less than or equal to %d.", longestPeriod)
	case period%60 != 0:
		return w, invalid("The local endpoint keeps metrics by the minute: the parameter Period must be a multiple of 60, and is %d.", period)
	}
	w = window{start.Truncate(time.Minute).Unix(), end.Unix(), int64(period)}
	if end.Nanosecond() > 0 {
		w.to++
	}
	return w, nil
}

// periods is how many periods there are.
func (w window) periods() int64 { return (w.to - w.from + w.period - 1) / w.period }

// A point is what was measured in one period.
type point struct {
	at   time.Time
	data data
}

// points gives the periods of a metric in which something was measured, in order. Without a
// unit those of all units are taken together.
func (db *DB) points(k key, w window) (found []point, unit string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	var metrics []*metric
	for other, m := range db.metrics {
		if k.unit == "" {
			k := k
			k.unit = other.unit
			if k == other {
				metrics, unit = append(metrics, m), other.unit
			}
		} else if k == other {
			metrics, unit = append(metrics, m), other.unit
		}
	}
	byPeriod := map[int64]*data{}
	for _, m := range metrics {
		for _, minute := range m.minutes {
			if minute.begin < w.from || minute.begin >= w.to {
				continue
			}
			i := (minute.begin - w.from) / w.period
			if byPeriod[i] == nil {
				byPeriod[i] = &data{}
			}
			byPeriod[i].add(minute.data)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(byPeriod)) {
		if byPeriod[i].n > 0 {
			found = append(found, point{time.Unix(w.from+i*w.period, 0).UTC(), *byPeriod[i]})
		}
	}
	return found, unit
}
