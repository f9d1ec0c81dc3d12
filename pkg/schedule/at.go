package schedule

import "time"

// An at comes round once.
type at struct{ instant time.Time }

const atLayout = "2006-01-02T15:04:05"

func parseAt(inside string, zone *time.Location) (when, *Error) {
	wall, err := time.Parse(atLayout, inside)
	if err != nil || wall.Format(atLayout) != inside { // Parse lets fractions of seconds pass
		return nil, refuse("", "a one-time schedule is at(yyyy-mm-ddThh:mm:ss), a time of the calendar: at(2026-12-24T18:00:00)")
	}
	if wall.Year() < firstYear || wall.Year() > LastYear {
		return nil, refuse("year", "%d is not within %d and %d", wall.Year(), firstYear, LastYear)
	}
	instant, exists := instantOf(wall, zone)
	if !exists {
		return nil, refuse("", "there is no such time in %s: clocks go forward past it", zone)
	}
	return at{instant}, nil
}

func (a at) next(after time.Time, zone *time.Location) (time.Time, bool) {
	return a.instant.In(zone), a.instant.After(after)
}
