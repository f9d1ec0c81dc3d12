package schedule

import (
	"fmt"
	"strings"
	"time"
)

// LastYear is the last year in which anything comes round.
const LastYear = 2199

// firstYear is the first year that a cron expression can name.
const firstYear = 1970

// A Schedule says when something happens. It is made by Parse, never changes, and
// may be used by many goroutines. The zero Schedule never comes round.
type Schedule struct {
	expression string
	zone       *time.Location
	start      time.Time // the earliest occurrence; zero means no bound
	when       when
}

// when is one of the three kinds. next gives the first occurrence strictly after a
// time; ok is false where there is none.
type when interface {
	next(after time.Time, zone *time.Location) (at time.Time, ok bool)
}

// Parse reads an expression of EventBridge Scheduler. zone is an IANA time zone,
// "Europe/Berlin"; "" means UTC. Errors are *Error.
func Parse(expression, zone string) (Schedule, error) {
	location, err := locate(expression, zone)
	if err != nil {
		return Schedule{}, err
	}
	kind, inside, ok := strings.Cut(expression, "(")
	inside, closed := strings.CutSuffix(inside, ")")
	if !ok || !closed {
		return Schedule{}, &Error{Expression: expression, Problem: "an expression is rate(…), cron(…) or at(…)"}
	}
	s := Schedule{expression: expression, zone: location}
	var problem *Error
	switch kind {
	case "rate":
		s.when, problem = parseRate(inside)
	case "at":
		s.when, problem = parseAt(inside, location)
	case "cron":
		s.when, problem = parseCron(inside)
	default:
		problem = refuse("", "%.20q is no kind of expression: an expression is rate(…), cron(…) or at(…), in lower case", kind)
	}
	if problem != nil {
		problem.Expression = expression
		return Schedule{}, problem
	}
	return s, nil
}

// ParseRule reads an expression as EventBridge's scheduled rules take it: UTC only,
// no at(…), and a rate's unit agrees with its number: 1 minute, 2 minutes.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
func ParseRule(expression string) (Schedule, error) {
	s, err := Parse(expression, "")
	if err != nil {
		return Schedule{}, err
	}
	switch kind := s.when.(type) {
	case at:
		return Schedule{}, &Error{Expression: expression, Problem: "a rule takes rate(…) and cron(…); at(…) is for EventBridge Scheduler"}
	case rate:
		if kind.number == 1 && strings.HasSuffix(expression, "s)") {
			return Schedule{}, &Error{Expression: expression, Part: "unit", Problem: "1 takes the singular: " + strings.TrimSuffix(expression, "s)") + ")"}
		}
	}
	return s, nil
}

// refuse makes an Error whose expression is filled in by Parse.
func refuse(part, format string, args ...any) *Error {
	return &Error{Part: part, Problem: fmt.Sprintf(format, args...)}
}

// Next gives the first occurrence strictly after a time; ok is false where there
// will be none any more. A rate comes round one period after that time, or in step
// with its start where From named one.
func (s Schedule) Next(after time.Time) (next time.Time, ok bool) {
	if s.when == nil || after.Year() > LastYear {
		return time.Time{}, false
	}
	if !s.start.IsZero() && after.Before(s.start) {
		if _, periodic := s.when.(rate); periodic {
			return s.start, true
		}
		after = s.start.Add(-time.Nanosecond)
	}
	if every, periodic := s.when.(rate); periodic && !s.start.IsZero() {
		after = s.start.Add(after.Sub(s.start) / every.period * every.period)
	}
	next, ok = s.when.next(after, s.zone)
	if !ok || next.Year() > LastYear {
		return time.Time{}, false
	}
	return next, true
}

// From gives the schedule as it is where it begins at start, as EventBridge
// Scheduler's StartDate does: the first occurrence of a rate is start itself, and
// the rest keep in step with it; the occurrences of a cron expression are those
// from start on. A one-time schedule is as it was. A start before 1970 is taken for
// the beginning of that year.
func (s Schedule) From(start time.Time) Schedule {
	if s.Once() {
		return s
	}
	s.start = start
	if earliest := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC); start.Before(earliest) {
		s.start = earliest
	}
	return s
}

// Once tells whether this is a one-time schedule, at(…).
func (s Schedule) Once() bool {
	_, once := s.when.(at)
	return once
}

// Every gives the period of a rate; ok is false for the other kinds.
func (s Schedule) Every() (period time.Duration, ok bool) {
	every, ok := s.when.(rate)
	return every.period, ok
}

// Zone gives the time zone; nil for the zero Schedule.
func (s Schedule) Zone() *time.Location { return s.zone }

// String gives the expression, and the time zone where that is not UTC.
func (s Schedule) String() string {
	if s.zone == nil || s.zone == time.UTC {
		return s.expression
	}
	return s.expression + " " + s.zone.String()
}
