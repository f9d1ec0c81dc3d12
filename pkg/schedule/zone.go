package schedule

import (
	"strings"
	"time"
	_ "time/tzdata" // a function on AWS may find no time zones installed
)

// locate finds a time zone; "" is UTC.
func locate(expression, name string) (*time.Location, error) {
	bad := func(problem string) error {
		return &Error{Expression: expression, Part: PartZone, Problem: problem}
	}
	switch {
	case name == "" || name == "UTC":
		return time.UTC, nil
	case name == "Local":
		return nil, bad(`"Local" depends on the machine: name an IANA time zone, such as "Europe/Berlin"`)
	case strings.HasPrefix(name, "right/"), strings.HasPrefix(name, "posix/"): // of the machine's database, not of IANA
		return nil, bad("leave the folder out of " + name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, &Error{Expression: expression, Part: PartZone, Problem: refuse("", "%.80q is not in the IANA database", name).Problem}
	}
	return zone, nil
}

// widestOffset is more than any zone is or was ahead of UTC or behind it.
const widestOffset = 26 * time.Hour

// instantOf gives the first instant at which clocks in the zone show a wall time,
// which is given as if it were UTC; exists is false where they never do, because
// they go forward past it.
func instantOf(wall time.Time, zone *time.Location) (first time.Time, exists bool) {
	if zone == time.UTC {
		return wall, true
	}
	// One period of the zone's rules after the other, in order of time.
	for from := wall.Add(-widestOffset); ; {
		start, end := from.In(zone).ZoneBounds()
		_, offset := from.In(zone).Zone()
		instant := wall.Add(-time.Duration(offset) * time.Second)
		if !instant.Before(start) && (end.IsZero() || instant.Before(end)) {
			return instant.In(zone), true
		}
		if end.IsZero() || end.After(wall.Add(widestOffset)) {
			return time.Time{}, false
		}
		from = end
	}
}

// wallOf gives what clocks in the zone show, as if it were UTC, cut to the minute.
func wallOf(instant time.Time, zone *time.Location) time.Time {
	t := instant.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}
