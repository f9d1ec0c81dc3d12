package schedule_test

import (
	"testing"
	"time"
)

func TestClocksChange(t *testing.T) {
	for _, c := range []struct {
		expression, zone, after string
		want                    []string
	}{
		// 02:00 to 03:00 does not exist on 8 March 2026: skipped.
		{"cron(30 2 * * ? *)", "America/New_York", "2026-03-07T07:00Z", []string{"2026-03-07T02:30-05:00", "2026-03-09T02:30-04:00"}},
		{"cron(30 2 8 3 ? 2026)", "America/New_York", "2026-01-01T00:00Z", []string{"never"}},
		{"cron(30 * * * ? *)", "America/New_York", "2026-03-08T06:00Z", []string{"2026-03-08T01:30-05:00", "2026-03-08T03:30-04:00"}},
		// 01:00 to 02:00 comes twice on 1 November 2026: once, the first time.
		{"cron(30 1 * * ? *)", "America/New_York", "2026-11-01T04:00Z", []string{"2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"}},
		{"cron(30 1 * * ? *)", "America/New_York", "2026-11-01T05:45Z", []string{"2026-11-02T01:30-05:00"}},
		{"cron(30 1 * * ? *)", "America/New_York", "2026-11-01T06:10Z", []string{"2026-11-02T01:30-05:00"}},
		{"cron(30 * * * ? *)", "America/New_York", "2026-11-01T04:00Z", []string{"2026-11-01T00:30-04:00", "2026-11-01T01:30-04:00", "2026-11-01T02:30-05:00"}},
		{"cron(0/20 * * * ? *)", "America/New_York", "2026-11-01T05:30Z", []string{"2026-11-01T01:40-04:00", "2026-11-01T02:00-05:00"}},
		{"cron(0 9 ? * MON *)", "Europe/Berlin", "2026-03-23T08:00Z", []string{"2026-03-30T09:00+02:00"}},
		{"cron(0 9 ? * MON *)", "Europe/Berlin", "2026-10-19T07:00Z", []string{"2026-10-26T09:00+01:00"}},
		{"cron(30 2 * * ? *)", "Europe/Berlin", "2026-10-25T00:00Z", []string{"2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"}},
		// Half an hour: 02:00 to 02:30 is missing on 4 October, 01:30 to 02:00 comes twice on 5 April.
		{"cron(15 2 * * ? *)", "Australia/Lord_Howe", "2026-10-02T15:00Z", []string{"2026-10-03T02:15+10:30", "2026-10-05T02:15+11:00"}},
		{"cron(45 1,2 * * ? *)", "Australia/Lord_Howe", "2026-04-04T14:00Z", []string{"2026-04-05T01:45+11:00", "2026-04-05T02:45+10:30"}},
		// An offset that is no whole hour.
		{"cron(0 9 * * ? *)", "Asia/Kathmandu", "2026-01-01T00:00Z", []string{"2026-01-01T09:00+05:45"}},
		// Midnight is missing.
		{"cron(0 0 * * ? *)", "America/Asuncion", "2024-10-05T00:00Z", []string{"2024-10-05T00:00-04:00", "2024-10-07T00:00-03:00"}},
		// A whole day is missing.
		{"cron(0 12 30 12 ? 2011)", "Pacific/Apia", "2011-01-01T00:00Z", []string{"never"}},
		{"cron(0 12 * * ? *)", "Pacific/Apia", "2011-12-29T00:00Z", []string{"2011-12-29T12:00-10:00", "2011-12-31T12:00+14:00"}},
		// An offset with seconds.
		{"cron(0 0 * * ? *)", "Africa/Monrovia", "1970-01-01T01:00Z", []string{"1970-01-02T00:00-00:44"}},
		// A day is 24 hours of the clock.
		{"rate(1 days)", "America/New_York", "2026-03-07T17:00Z", []string{"2026-03-08T17:00Z"}},
	} {
		s := parse(t, c.expression, c.zone)
		if got := occurrences(s, moment(t, c.after), len(c.want)); !equal(got, c.want) {
			t.Errorf("%s in %s after %s: %v, want %v", c.expression, c.zone, c.after, got, c.want)
		}
	}
}

// Every wall time that exists is hit once, at its first instant, whatever the zone
// does: counted over a year of clocks.
func TestEveryMinuteOnce(t *testing.T) {
	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca", "America/Asuncion"}
	begin, end := time.Date(2010, 12, 25, 0, 0, 0, 0, time.UTC), time.Date(2012, 1, 5, 0, 0, 0, 0, time.UTC)
	for _, zone := range zones {
		s := parse(t, "cron(0/10 * * * ? *)", zone)
		next, ok := s.Next(begin.Add(-1))
		seen := map[[3]int]bool{}
		for at := begin.Add(-25 * time.Hour); at.Before(end) && ok; at = at.Add(5 * time.Minute) {
			wall := at.In(s.Zone())
			shown := [3]int{wall.Year(), wall.YearDay(), wall.Hour()*60 + wall.Minute()}
			first := !seen[shown]
			seen[shown] = true
			if wall.Minute()%10 != 0 || !first || at.Before(begin) {
				continue
			}
			if !at.Equal(next) {
				t.Fatalf("%s: next is %v, the clocks say %v", zone, next, wall)
			}
			next, ok = s.Next(at)
		}
	}
}
