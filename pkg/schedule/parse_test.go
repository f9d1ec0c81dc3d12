package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

func TestRefused(t *testing.T) {
	for _, c := range []struct{ expression, zone, part, says string }{
		{"", "", "", "rate(…), cron(…) or at(…)"},
		{"rate", "", "", "rate(…), cron(…) or at(…)"},
		{"rate(5 minutes", "", "", "rate(…), cron(…) or at(…)"},
		{"RATE(5 minutes)", "", "", "lower case"},
		{" rate(5 minutes)", "", "", "lower case"},
		{"rate(5 minutes) ", "", "", "rate(…), cron(…) or at(…)"},
		{"every(5 minutes)", "", "", `"every" is no kind`},
		{"0 9 * * ? *", "", "", "rate(…), cron(…) or at(…)"},
		// Rates.
		{"rate(5 minute)", "", "unit", "rate(5 minutes)"},
		{"rate(0 minutes)", "", "value", "positive"},
		{"rate(-1 hour)", "", "value", "positive"},
		{"rate(+1 hour)", "", "value", "positive"},
		{"rate(1.5 hours)", "", "value", "positive"},
		{"rate(1 week)", "", "unit", "minutes, hours or days"},
		{"rate(1 Minute)", "", "unit", "minutes, hours or days"},
		{"rate(5 minutes )", "", "unit", "minutes, hours or days"},
		{"rate( 5 minutes)", "", "", "rate(5 minutes)"},
		{"rate(5minutes)", "", "", "rate(5 minutes)"},
		{"rate(5 minutes minutes)", "", "unit", "minutes, hours or days"},
		{"rate(99999999999999999999 days)", "", "value", "positive"},
		{"rate(36501 days)", "", "value", "hundred years"},
		// Once.
		{"at(2026-12-24)", "", "", "yyyy-mm-ddThh:mm:ss"},
		{"at(2026-12-24T18:00:00Z)", "", "", "yyyy-mm-ddThh:mm:ss"},
		{"at(2026-12-24T18:00:00.5)", "", "", "yyyy-mm-ddThh:mm:ss"},
		{"at(2026-02-30T18:00:00)", "", "", "time of the calendar"},
		{"at(2026-12-24T24:00:00)", "", "", "time of the calendar"},
		{"at(1969-12-24T18:00:00)", "", "year", "1970"},
		{"at(2200-01-01T00:00:00)", "", "year", "2199"},
		{"at(2026-03-08T02:30:00)", "America/New_York", "", "no such time in America/New_York"},
		// The two day fields.
		{"cron(* 1 * * * *)", "", "day of month", `must be "?"`},
		{"cron(55 7-23 * * * *)", "", "day of month", `must be "?"`},
		{"cron(0 10 ? * ? *)", "", "day of month", `both "?"`},
		{"cron(0 9 * * MON *)", "", "day of month", "here the day of month"},
		{"cron(0 9 1 * * *)", "", "day of week", "here the day of week"},
		{"cron(0 9 1 * MON *)", "", "day of week", "both"},
		{"cron(* * * * * *)", "", "day of month", `must be "?"`},
		{"cron(0 8 * ? 2-6 *)", "", "month", `"?" is not understood`},
		// Fields.
		{"cron(bad)", "", "", "1 fields"},
		{"cron()", "", "", "0 fields"},
		{"cron(15 12 * * 0)", "", "", "5 fields"},
		{"cron(15 12 * * 0)", "", "", "cron(15 12 ? * 1 *)"},
		{"cron(0 0 9 * * ? *)", "", "", "7 fields"},
		{"cron( 0 9 * * ? *)", "", "", "between the fields"},
		{"cron(0 12 ? * 0 *)", "", "day of week", "where 1 is Sunday"},
		{"cron(0 12 ? * 8 *)", "", "day of week", "where 1 is Sunday"},
		{"cron(60 * * * ? *)", "", "minutes", "0-59"},
		{"cron(0 24 * * ? *)", "", "hours", "0-23"},
		{"cron(0 0 0 * ? *)", "", "day of month", "1-31"},
		{"cron(0 0 32 * ? *)", "", "day of month", "1-31"},
		{"cron(0 0 1 13 ? *)", "", "month", "JAN-DEC"},
		{"cron(0 0 1 January ? *)", "", "month", "JAN-DEC"},
		{"cron(0 0 1 1 ? 1969)", "", "year", "1970-2199"},
		{"cron(0 0 1 1 ? 2200)", "", "year", "1970-2199"},
		{"cron(*/60 * * * ? *)", "", "minutes", "rate(1 hour)"},
		{"cron(*/0 * * * ? *)", "", "minutes", "positive"},
		{"cron(*/ * * * ? *)", "", "minutes", "positive"},
		{"cron(*/5/5 * * * ? *)", "", "minutes", "positive"},
		{"cron(0 */24 * * ? *)", "", "hours", "rate(1 day)"},
		{"cron(, * * * ? *)", "", "minutes", "not understood"},
		{"cron(1, * * * ? *)", "", "minutes", "not understood"},
		{"cron(1--5 * * * ? *)", "", "minutes", "not understood"},
		{"cron(+1 * * * ? *)", "", "minutes", "not understood"},
		{"cron(5-1 * * * ? *)", "", "minutes", "backwards"},
		{"cron(0 0 ? * FRI-MON *)", "", "day of week", "backwards"},
		{"cron(? * * * ? *)", "", "minutes", "not understood"},
		{"cron(L * * * ? *)", "", "minutes", "not understood"},
		{"cron(0 9 1,L * ? *)", "", "day of month", "stand alone"},
		{"cron(0 9 1W,15W * ? *)", "", "day of month", "stand alone"},
		{"cron(0 9 l * ? *)", "", "day of month", "not understood"},
		{"cron(0 9 W * ? *)", "", "day of month", "1W to 31W"},
		{"cron(0 9 32W * ? *)", "", "day of month", "1W to 31W"},
		{"cron(0 9 L-3W * ? *)", "", "day of month", "L-1 to L-30"},
		{"cron(0 9 L-31 * ? *)", "", "day of month", "L-1 to L-30"},
		{"cron(0 9 L-0 * ? *)", "", "day of month", "L-1 to L-30"},
		{"cron(0 9 ? * 3#1,6#3 *)", "", "day of week", "stand alone"},
		{"cron(0 9 ? * 2,6L *)", "", "day of week", "stand alone"},
		{"cron(0 9 ? * L,2 *)", "", "day of week", "stand alone"},
		{"cron(0 9 ? * 3#6 *)", "", "day of week", "3#1 to 3#5"},
		{"cron(0 9 ? * 3# *)", "", "day of week", "3#1 to 3#5"},
		{"cron(0 9 ? * #1 *)", "", "day of week", "not understood"},
		{"cron(0 9 ? * 2W *)", "", "day of week", "not understood"},
		// Time zones.
		{"rate(5 minutes)", "Mars/Base", "time zone", "IANA"},
		{"rate(5 minutes)", "Local", "time zone", "depends on the machine"},
		{"rate(5 minutes)", "right/Europe/Berlin", "time zone", "folder"},
		{"rate(5 minutes)", "../etc/passwd", "time zone", "IANA"},
		{"rate(5 minutes)", "UTC+3", "time zone", "IANA"},
	} {
		_, err := schedule.Parse(c.expression, c.zone)
		var refused *schedule.Error
		if !errors.As(err, &refused) {
			t.Errorf("%q in %q: %v", c.expression, c.zone, err)
			continue
		}
		if refused.Expression != c.expression || refused.Part != c.part || !strings.Contains(refused.Problem, c.says) {
			t.Errorf("%q in %q: part %q, problem %q; want %q and %q", c.expression, c.zone, refused.Part, refused.Problem, c.part, c.says)
		}
		if !strings.HasPrefix(err.Error(), "schedule: ") || !strings.Contains(err.Error(), refused.Part) {
			t.Errorf("%q: %v", c.expression, err)
		}
	}
}

func TestRate(t *testing.T) {
	start := time.Date(2026, 2, 1, 10, 0, 30, 0, time.UTC)
	for expression, want := range map[string]time.Duration{
		"rate(1 minute)": time.Minute, "rate(1 minutes)": time.Minute, "rate(5 minutes)": 5 * time.Minute, "rate(1 hour)": time.Hour,
		"rate(2 hours)": 2 * time.Hour, "rate(1 days)": 24 * time.Hour, "rate(5  minutes)": 5 * time.Minute, "rate(36500 days)": 36500 * 24 * time.Hour,
	} {
		s := parse(t, expression, "")
		period, periodic := s.Every()
		if next, ok := s.Next(start); !next.Equal(start.Add(want)) || !ok || period != want || !periodic || s.Once() {
			t.Errorf("%s: %v, %v", expression, next, ok)
		}
	}
	anchored := parse(t, "rate(5 minutes)", "").From(start)
	for after, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, -1: 0, 0: 5 * time.Minute, 1: 5 * time.Minute, 5*time.Minute - 1: 5 * time.Minute,
		5 * time.Minute: 10 * time.Minute, 24*time.Hour + 7*time.Minute: 24*time.Hour + 10*time.Minute,
	} {
		if next, ok := anchored.Next(start.Add(after)); !next.Equal(start.Add(want)) || !ok {
			t.Errorf("%v after the start: %v, %v", after, next, ok)
		}
	}
	old := parse(t, "rate(1 day)", "").From(time.Date(-9_000_000, 1, 1, 0, 0, 0, 0, time.UTC))
	if next, ok := old.Next(moment(t, "2199-12-30T00:00Z")); !ok || !next.Equal(moment(t, "2199-12-31T00:00Z")) {
		t.Errorf("a start long ago: %v, %v", next, ok)
	}
	if _, ok := anchored.Next(time.Date(2199, 12, 31, 23, 59, 0, 0, time.UTC)); ok {
		t.Error("it goes on after the last year")
	}
}

func TestAt(t *testing.T) {
	s := parse(t, "at(2026-12-24T18:00:05)", "Europe/Berlin").From(moment(t, "2030-01-01T00:00Z")) // the start is ignored
	want := time.Date(2026, 12, 24, 17, 0, 5, 0, time.UTC)
	if next, ok := s.Next(want.Add(-1)); !ok || !next.Equal(want) || !s.Once() {
		t.Errorf("%v, %v", next, ok)
	}
	if _, ok := s.Next(want); ok {
		t.Error("it comes round twice")
	}
	if got := s.String(); got != "at(2026-12-24T18:00:05) Europe/Berlin" {
		t.Error(got)
	}
	// 01:30 comes twice on that day: the first is meant.
	s = parse(t, "at(2026-11-01T01:30:00)", "America/New_York")
	if next, _ := s.Next(want.AddDate(-1, 0, 0)); !next.Equal(moment(t, "2026-11-01T05:30Z")) {
		t.Error(next)
	}
}

func TestFromBoundsCron(t *testing.T) {
	s := parse(t, "cron(0 9 * * ? *)", "").From(moment(t, "2026-02-05T09:00Z"))
	if got := occurrences(s, moment(t, "2026-01-01T00:00Z"), 2); !equal(got, []string{"2026-02-05T09:00Z", "2026-02-06T09:00Z"}) {
		t.Error(got)
	}
}

func TestParseRule(t *testing.T) {
	for expression, ok := range map[string]bool{
		"rate(1 minute)": true, "rate(5 minutes)": true, "cron(0 9 * * ? *)": true,
		"rate(1 minutes)": false, "rate(1 days)": false, "rate(5 minute)": false, "at(2026-12-24T18:00:00)": false, "cron(bad)": false,
	} {
		if _, err := schedule.ParseRule(expression); (err == nil) != ok {
			t.Errorf("%s: %v", expression, err)
		}
	}
	_, err := schedule.ParseRule("rate(1 hours)")
	if err == nil || !strings.Contains(err.Error(), "rate(1 hour)") {
		t.Error(err)
	}
}

func TestZeroSchedule(t *testing.T) {
	var s schedule.Schedule
	if _, ok := s.Next(time.Now()); ok || s.String() != "" || s.Zone() != nil {
		t.Error("the zero Schedule comes round")
	}
}
