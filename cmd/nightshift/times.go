package main

import (
	"errors"
	"fmt"
	"time"
)

// errTime is what a flag says whose value is no time.
var errTime = errors.New("want a duration before now (36h), a date (2026-03-01) or a time (2026-03-01T09:00:00Z)")

// timeFlag reads a time into a variable. One that is so long before now is set right when
// the stack is open, whose clock may not be this machine's.
func (f *stackFlags) timeFlag(into *time.Time) func(string) error {
	return func(text string) error {
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			*into = time.Now().Add(-d)
			f.opened = append(f.opened, func(s *stack) { *into = s.now().Add(-d) })
			return nil
		}
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if t, err := time.Parse(layout, text); err == nil {
				*into = t
				return nil
			}
		}
		return errTime
	}
}

// moment shows a time to the second.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// A viewpoint is when and where times are looked at.
type viewpoint struct {
	now  time.Time
	zone *time.Location
}

// here is now in the stack, in this machine's time zone.
func (s *stack) here() viewpoint { return viewpoint{s.now(), time.Local} }

// moment shows a time to the second and how far away it is; "" where there is none.
func (v viewpoint) moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s (%s)", t.In(v.zone).Format("2006-01-02 15:04:05 MST"), v.distance(t))
}

// distance tells how far away a time is.
func (v viewpoint) distance(t time.Time) string {
	switch d := t.Sub(v.now); {
	case d >= time.Second:
		return "in " + span(d)
	case d > -time.Second:
		return "now"
	default:
		return span(-d) + " ago"
	}
}

// span shows a duration by its two largest units, cut to the second.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	for _, u := range []struct {
		large, small time.Duration
		names        string
	}{{day, time.Hour, "dh"}, {time.Hour, time.Minute, "hm"}, {time.Minute, time.Second, "ms"}} {
		large, small := d/u.large, d%u.large/u.small
		if large > 0 && small > 0 {
			return fmt.Sprintf("%d%c %d%c", large, u.names[0], small, u.names[1])
		}
		if large > 0 {
			return fmt.Sprintf("%d%c", large, u.names[0])
		}
	}
	return fmt.Sprintf("%ds", max(d, 0)/time.Second)
}
