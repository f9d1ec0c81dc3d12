package schedule

import (
	"strings"
	"time"
)

// A cron comes round when clocks show what its fields say.
type cron struct {
	minutes, hours, months, years set
	days                          dayRule
}

func parseCron(inside string) (when, *Error) {
	if strings.Trim(inside, " \t") != inside {
		return nil, refuse("", "blanks stand between the fields only")
	}
	texts := strings.FieldsFunc(inside, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(texts) != 6 {
		return nil, refuse("", "it has %d fields, and needs six: minutes, hours, day of month, month, day of week, year%s", len(texts), asUnix(inside))
	}
	var c cron
	for i, f := range []struct {
		field
		into *set
	}{{minutes, &c.minutes}, {hours, &c.hours}, {}, {months, &c.months}, {}, {years, &c.years}} {
		if f.into == nil {
			continue // a day field
		}
		values, problem := f.parse(texts[i])
		if problem != nil {
			return nil, problem
		}
		*f.into = values
	}
	var problem *Error
	if c.days, problem = parseDays(texts[2], texts[4]); problem != nil {
		return nil, problem
	}
	return c, nil
}

// asUnix says what is meant where somebody wrote an entry of a crontab.
func asUnix(inside string) string {
	expression, err := FromUnix(inside)
	if err != nil {
		return ""
	}
	return "; as an entry of a crontab it would be " + expression
}

// next looks at wall times in their order, beginning with what clocks show at
// after, and takes the first that exists and lies later. A wall time that comes
// twice counts at its first occurrence, so that none before the beginning can lie
// later.
func (c cron) next(after time.Time, zone *time.Location) (time.Time, bool) {
	begin := wallOf(after, zone)
	if begin.Year() < firstYear {
		begin = time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for day := midnight(begin); ; day = day.AddDate(0, 0, 1) {
		var ok bool
		if day, ok = c.dayFrom(day); !ok {
			return time.Time{}, false
		}
		minute := 0
		if day.Equal(midnight(begin)) {
			minute = begin.Hour()*60 + begin.Minute()
		}
		for minute, ok = c.minuteFrom(minute); ok; minute, ok = c.minuteFrom(minute + 1) {
			instant, exists := instantOf(day.Add(time.Duration(minute)*time.Minute), zone)
			if exists && instant.After(after) {
				return instant, true
			}
		}
	}
}

func midnight(wall time.Time) time.Time {
	return time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
}

// dayFrom gives the first day from day on that the expression means; ok is false
// where there is none before the end of LastYear.
func (c cron) dayFrom(day time.Time) (found time.Time, ok bool) {
	for day.Year() <= LastYear {
		year, ok := c.years.from(day.Year() - years.base)
		if !ok {
			return time.Time{}, false
		}
		if year+years.base > day.Year() {
			day = time.Date(year+years.base, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		month, ok := c.months.from(int(day.Month()))
		if !ok {
			day = time.Date(day.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if month > int(day.Month()) {
			day = time.Date(day.Year(), time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		}
		if c.days(dateOf(day)) {
			return day, true
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

// minuteFrom gives the first minute of a day, counted from midnight, that the
// expression means, from minute on.
func (c cron) minuteFrom(minute int) (found int, ok bool) {
	for minute < 24*60 {
		hour, ok := c.hours.from(minute / 60)
		if !ok {
			return 0, false
		}
		if hour > minute/60 {
			minute = hour * 60
		}
		if m, ok := c.minutes.from(minute % 60); ok {
			return hour*60 + m, true
		}
		minute = (hour + 1) * 60
	}
	return 0, false
}
