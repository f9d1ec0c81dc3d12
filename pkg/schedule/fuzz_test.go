package schedule_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

func FuzzSchedule(f *testing.F) {
	for _, seed := range []struct{ expression, zone string }{
		{"cron(0 9 ? * MON *)", "Europe/Berlin"}, {"cron(0/15 20-2 ? * MON-FRI *)", "America/New_York"}, {"cron(15 10 ? * 6L 2022-2023)", ""},
		{"cron(30 2 ? * 3#5 *)", "Australia/Lord_Howe"}, {"cron(* * LW 2 ? 2028/4)", ""}, {"cron(1,2,59 */5 L-3 jan-DEC/2 ? *)", "Asia/Kathmandu"},
		{"cron(0 0 31W * ? *)", "Pacific/Apia"}, {"cron(0 0 30 2 ? *)", ""}, {"cron(0 9 ? * L *)", ""}, {"cron(0 9 * * ? 1970-2199/229)", ""},
		{"rate(5 minutes)", ""}, {"rate(1 days)", "Europe/Berlin"}, {"at(2026-11-01T01:30:00)", "America/New_York"}, {"cron(((", "Local"},
	} {
		f.Add(seed.expression, seed.zone, int64(1_793_500_000))
	}
	f.Fuzz(func(t *testing.T, expression, zone string, unix int64) {
		s, err := schedule.Parse(expression, zone)
		if err != nil {
			return
		}
		after := time.Unix(unix%8_000_000_000, unix%1_000_000_000).UTC()
		next, ok := s.Next(after)
		if ok && !next.After(after) {
			t.Fatalf("%s: %v is not after %v", s, next, after)
		}
		from := s.From(time.Unix(unix/3, 0)) // a start long ago, or to come
		if first, ok := from.Next(after); ok && (!first.After(after) || !s.Once() && first.Before(time.Unix(unix/3, 0))) {
			t.Fatalf("%s from %v: %v after %v", s, time.Unix(unix/3, 0), first, after)
		}
		if s.Once() || !strings.HasPrefix(expression, "cron(") {
			return
		}
		checkByClock(t, s, expression, after, next, ok)
	})
}

// checkByClock looks at each minute of some days and holds Next to what the fields
// say, read once more by simpler means.
func checkByClock(t *testing.T, s schedule.Schedule, expression string, after, next time.Time, ok bool) {
	const window = 3 * 24 * time.Hour
	fields := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(expression, "cron("), ")"))
	if ok && !matches(fields, next.In(s.Zone())) {
		t.Fatalf("%s: %v matches no fields", s, next)
	}
	seen := map[string]bool{}
	at := after.Add(-26 * time.Hour).Truncate(time.Minute)
	// Zones before 1972 had offsets with seconds, and minutes begin otherwise.
	at = at.Add(-time.Duration(at.In(s.Zone()).Second()) * time.Second)
	for ; at.Before(after.Add(window)); at = at.Add(time.Minute) {
		wall := at.In(s.Zone())
		text := wall.Format("2006-01-02T15:04")
		first := !seen[text]
		seen[text] = true
		if !first || !at.After(after) || wall.Second() != 0 || !matches(fields, wall) {
			continue
		}
		if !ok || !at.Equal(next) {
			t.Fatalf("%s after %v: next is %v (%v), the clocks say %v", s, after, next, ok, wall)
		}
		return
	}
	if ok && next.Before(after.Add(window-time.Minute)) && after.Year() >= 1973 {
		t.Fatalf("%s after %v: next is %v, the clocks know nothing of it", s, after, next)
	}
}

var names = map[string]int{"SUN": 1, "MON": 2, "TUE": 3, "WED": 4, "THU": 5, "FRI": 6, "SAT": 7, "JAN": 1, "FEB": 2, "MAR": 3, "APR": 4,
	"MAY": 5, "JUN": 6, "JUL": 7, "AUG": 8, "SEP": 9, "OCT": 10, "NOV": 11, "DEC": 12}

func number(text string) int {
	if n, ok := names[strings.ToUpper(text)]; ok {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// matches tells whether the six fields, which are known to be valid, mean a wall
// time.
func matches(fields []string, wall time.Time) bool {
	return wall.Year() >= 1970 && wall.Year() <= 2199 &&
		inList(fields[0], wall.Minute(), 0, 59) && inList(fields[1], wall.Hour(), 0, 23) && inList(fields[3], int(wall.Month()), 1, 12) &&
		inList(fields[5], wall.Year(), 1970, 2199) && onDay(fields[2], fields[4], wall)
}

func inList(text string, value, least, most int) bool {
	return slices.ContainsFunc(strings.Split(text, ","), func(item string) bool {
		span, stepText, stepped := strings.Cut(item, "/")
		from, to, isRange := strings.Cut(span, "-")
		first, last, step := number(from), number(to), 1
		switch {
		case span == "*":
			first, last = least, most
		case !isRange && stepped:
			last = most
		case !isRange:
			last = first
		}
		if stepped {
			step = number(stepText)
		}
		for n := first; ; n += step {
			if last >= first && n > last || last < first && n > last+24 {
				return false
			}
			if n == value || last < first && n-24 == value {
				return true
			}
		}
	})
}

func onDay(ofMonth, ofWeek string, wall time.Time) bool {
	year, month, day := wall.Date()
	of := func(day int) time.Time { return time.Date(year, month, day, 12, 0, 0, 0, time.UTC) }
	last := of(1).AddDate(0, 1, -1).Day()
	weekday := int(of(day).Weekday()) + 1
	// nearest is the weekday of this month with the least distance, the earlier one of two.
	nearest := func(target int) int {
		best := 0
		for d := 1; d <= last; d++ {
			w := of(d).Weekday()
			if w != time.Saturday && w != time.Sunday && (best == 0 || distance(d, target) < distance(best, target)) {
				best = d
			}
		}
		return best
	}
	switch {
	case ofMonth == "L":
		return day == last
	case ofMonth == "LW":
		return day == nearest(last)
	case strings.HasPrefix(ofMonth, "L-"):
		return day == last-number(ofMonth[2:])
	case strings.HasSuffix(ofMonth, "W"):
		target := number(strings.TrimSuffix(ofMonth, "W"))
		return target <= last && day == nearest(target)
	case ofMonth != "?":
		return inList(ofMonth, day, 1, 31)
	case ofWeek == "L":
		return weekday == 7
	case strings.HasSuffix(ofWeek, "L"):
		return weekday == number(strings.TrimSuffix(ofWeek, "L")) && of(day+7).Month() != month
	case strings.Contains(ofWeek, "#"):
		name, nth, _ := strings.Cut(ofWeek, "#")
		count := 0
		for d := 1; d <= day; d++ {
			if of(d).Weekday() == of(day).Weekday() {
				count++
			}
		}
		return weekday == number(name) && count == number(nth)
	}
	return inList(ofWeek, weekday, 1, 7)
}

func distance(a, b int) int { return max(a-b, b-a) }
