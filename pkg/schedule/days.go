package schedule

import (
	"strconv"
	"strings"
	"time"
)

// A date is a day of the calendar.
type date struct {
	day     int
	last    int // the month's last day
	weekday int // 1 is Sunday, as in AWS
}

func dateOf(t time.Time) date {
	year, month, day := t.Date()
	return date{day: day, last: time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day(), weekday: int(t.Weekday()) + 1}
}

// weekdayOf gives the weekday of another day of the month.
func (d date) weekdayOf(day int) int { return ((d.weekday-1+day-d.day)%7+7)%7 + 1 }

// A dayRule tells which days of a month are meant.
type dayRule func(date) bool

// parseDays reads the two day fields, of which exactly one is a question mark.
func parseDays(ofMonth, ofWeek string) (dayRule, *Error) {
	switch {
	case ofMonth == "?" && ofWeek == "?":
		return nil, refuse(dayOfMonth.part, `it and the day of week are both "?": make one of them "*", or say which days`)
	case ofMonth == "?":
		return parseDayOfWeek(ofWeek)
	case ofWeek == "?":
		return parseDayOfMonth(ofMonth)
	case ofMonth == "*":
		return nil, refuse(dayOfMonth.part, `it is "*" and the day of week is %.20q: one of the two must be "?", here the day of month`, ofWeek)
	case ofWeek == "*":
		return nil, refuse(dayOfWeek.part, `it is "*" and the day of month is %.20q: one of the two must be "?", here the day of week`, ofMonth)
	}
	return nil, refuse(dayOfWeek.part, `both it and the day of month are given (%.20q, %.20q): one of the two must be "?"`, ofWeek, ofMonth)
}

// parseDayOfMonth reads a list of days, or one of L, L-3, LW and 15W.
func parseDayOfMonth(text string) (dayRule, *Error) {
	before, isLast := strings.CutPrefix(text, "L-")
	near, isNear := strings.CutSuffix(text, "W")
	switch {
	case strings.Contains(text, ",") && strings.ContainsAny(text, "LW"):
		return nil, refuse(dayOfMonth.part, "L and W stand alone, and not in a list")
	case text == "L":
		return func(d date) bool { return d.day == d.last }, nil
	case text == "LW":
		return func(d date) bool { return d.day == nearestWeekday(d, d.last) }, nil
	case isLast:
		n, err := strconv.Atoi(before)
		if err != nil || !isDigits(before) || n < 1 || n > 30 {
			return nil, refuse(dayOfMonth.part, "%.20q is not understood: L-1 to L-30 are the days before the last", text)
		}
		return func(d date) bool { return d.day == d.last-n }, nil
	case isNear:
		n, err := strconv.Atoi(near)
		if err != nil || !isDigits(near) || n < 1 || n > 31 {
			return nil, refuse(dayOfMonth.part, "%.20q is not understood: 1W to 31W are the weekdays nearest to a day, LW is the last weekday", text)
		}
		return func(d date) bool { return n <= d.last && d.day == nearestWeekday(d, n) }, nil
	}
	days, problem := dayOfMonth.parse(text)
	return func(d date) bool { return days.has(d.day) }, problem
}

// nearestWeekday gives the day from Monday to Friday that is nearest to a day of
// d's month, within that month.
func nearestWeekday(d date, day int) int {
	const sunday, saturday = 1, 7
	switch weekday := d.weekdayOf(day); {
	case weekday == saturday && day == 1:
		return 3
	case weekday == saturday:
		return day - 1
	case weekday == sunday && day == d.last:
		return day - 2
	case weekday == sunday:
		return day + 1
	}
	return day
}

// parseDayOfWeek reads a list of days, or one of L, 6L and 3#2.
func parseDayOfWeek(text string) (dayRule, *Error) {
	before, isLast := strings.CutSuffix(text, "L")
	name, nth, isNth := strings.Cut(text, "#")
	switch {
	case strings.Contains(text, ",") && (isNth || isLast || strings.Contains(text, "L,")):
		return nil, refuse(dayOfWeek.part, "L and # stand alone, and not in a list")
	case text == "L":
		return func(d date) bool { return d.weekday == dayOfWeek.most }, nil
	case isLast:
		weekday, problem := dayOfWeek.value(before)
		return func(d date) bool { return d.weekday == weekday && d.day > d.last-7 }, problem
	case isNth:
		weekday, problem := dayOfWeek.value(name)
		if problem == nil && (len(nth) != 1 || nth[0] < '1' || nth[0] > '5') {
			problem = refuse(dayOfWeek.part, "%.20q is not understood: 3#1 to 3#5 are the month's first to fifth Tuesday", text)
		}
		if problem != nil {
			return nil, problem
		}
		week := int(nth[0]-'0') - 1
		return func(d date) bool { return d.weekday == weekday && (d.day-1)/7 == week }, nil
	}
	days, problem := dayOfWeek.parse(text)
	return func(d date) bool { return days.has(d.weekday) }, problem
}
