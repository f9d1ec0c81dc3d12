package schedule_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

const stamp = "2006-01-02T15:04Z07:00"

func parse(t *testing.T, expression, zone string) schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(stamp, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// occurrences gives those after a time, as many as asked for, or fewer with "never"
// at their end.
func occurrences(s schedule.Schedule, after time.Time, most int) []string {
	var all []string
	for range most {
		next, ok := s.Next(after)
		if !ok {
			return append(all, "never")
		}
		all = append(all, next.Format(stamp))
		after = next
	}
	return all
}

func TestCron(t *testing.T) {
	for _, c := range []struct {
		expression, after string
		want              []string
	}{
		// The examples of AWS's guides.
		{"cron(0 10 * * ? *)", "2026-02-01T10:00Z", []string{"2026-02-02T10:00Z"}},
		{"cron(15 12 * * ? *)", "2026-02-01T00:00Z", []string{"2026-02-01T12:15Z"}},
		{"cron(0 18 ? * MON-FRI *)", "2026-02-06T18:00Z", []string{"2026-02-09T18:00Z"}},
		{"cron(0 8 1 * ? *)", "2026-02-01T08:00Z", []string{"2026-03-01T08:00Z"}},
		{"cron(0/15 * * * ? *)", "2026-02-01T00:50Z", []string{"2026-02-01T01:00Z", "2026-02-01T01:15Z"}},
		{"cron(0/10 * ? * MON-FRI *)", "2026-02-06T23:50Z", []string{"2026-02-09T00:00Z", "2026-02-09T00:10Z"}},
		{"cron(0/5 8-17 ? * MON-FRI *)", "2026-02-06T17:50Z", []string{"2026-02-06T17:55Z", "2026-02-09T08:00Z"}},
		{"cron(0/30 20-2 ? * MON-FRI *)", "2026-02-06T01:40Z", []string{"2026-02-06T02:00Z", "2026-02-06T02:30Z", "2026-02-06T20:00Z"}},
		{"cron(0/30 20-2 ? * MON-FRI *)", "2026-02-06T23:30Z", []string{"2026-02-09T00:00Z"}},
		{"cron(5,35 14 * * ? *)", "2026-02-01T00:00Z", []string{"2026-02-01T14:05Z", "2026-02-01T14:35Z"}},
		{"cron(15 10 ? * 6L 2022-2023)", "2022-01-01T00:00Z", []string{"2022-01-28T10:15Z", "2022-02-25T10:15Z"}},
		{"cron(15 10 ? * 6L 2022-2023)", "2023-12-01T00:00Z", []string{"2023-12-29T10:15Z", "never"}},
		{"cron(1/10 * * * ? *)", "2026-02-01T00:00Z", []string{"2026-02-01T00:01Z", "2026-02-01T00:11Z", "2026-02-01T00:21Z"}},
		{"cron(0 0 3W * ? *)", "2026-05-01T00:00Z", []string{"2026-05-04T00:00Z", "2026-06-03T00:00Z"}}, // 3 May is a Sunday
		{"cron(0 0 ? * 3#2 *)", "2026-02-01T00:00Z", []string{"2026-02-10T00:00Z"}},
		{"cron(0 0 ? JAN,FEB,MAR MON *)", "2026-03-25T00:00Z", []string{"2026-03-30T00:00Z", "2027-01-04T00:00Z"}},
		// Days of the week count from Sunday, 1.
		{"cron(0 12 ? * 2 *)", "2026-02-01T00:00Z", []string{"2026-02-02T12:00Z"}},
		{"cron(0 12 ? * 7 *)", "2026-02-01T00:00Z", []string{"2026-02-07T12:00Z"}},
		{"cron(0 12 ? * 1 *)", "2026-02-01T00:00Z", []string{"2026-02-01T12:00Z"}},
		{"cron(0 12 ? * 6L *)", "2026-02-01T00:00Z", []string{"2026-02-27T12:00Z"}},
		{"cron(0 12 ? * friL *)", "2026-02-01T00:00Z", []string{"2026-02-27T12:00Z"}},
		{"cron(30 2 ? * 2#1 *)", "2026-02-01T00:00Z", []string{"2026-02-02T02:30Z"}},
		{"cron(30 2 ? * Mon#1 *)", "2026-02-01T00:00Z", []string{"2026-02-02T02:30Z"}},
		{"cron(0 0 ? * L *)", "2026-02-01T00:00Z", []string{"2026-02-07T00:00Z"}},
		{"cron(0 0 ? * 1#5 *)", "2026-02-01T00:00Z", []string{"2026-03-29T00:00Z", "2026-05-31T00:00Z"}},
		{"cron(0 0 ? * MON-FRI/2 *)", "2026-02-01T00:00Z", []string{"2026-02-02T00:00Z", "2026-02-04T00:00Z", "2026-02-06T00:00Z", "2026-02-09T00:00Z"}},
		// Ends of months, leap years.
		{"cron(0 9 ? * 2 *)", "2021-08-31T21:00Z", []string{"2021-09-06T09:00Z", "2021-09-13T09:00Z", "2021-09-20T09:00Z", "2021-09-27T09:00Z"}},
		{"cron(0 0 31 * ? *)", "2026-01-31T00:00Z", []string{"2026-03-31T00:00Z", "2026-05-31T00:00Z"}},
		{"cron(0 * ? * 2-6 *)", "2016-02-29T11:00Z", []string{"2016-02-29T12:00Z"}},
		{"cron(0 0 29 2 ? *)", "2026-03-01T00:00Z", []string{"2028-02-29T00:00Z"}},
		{"cron(0 0 29 2 ? *)", "2096-03-01T00:00Z", []string{"2104-02-29T00:00Z"}},
		{"cron(0 0 29 2 ? 2027)", "2026-03-01T00:00Z", []string{"never"}},
		{"cron(0 0 30 2 ? *)", "2026-03-01T00:00Z", []string{"never"}},
		{"cron(0 0 31W FEB ? *)", "2026-03-01T00:00Z", []string{"never"}},
		{"cron(0 0 L * ? *)", "2028-02-01T00:00Z", []string{"2028-02-29T00:00Z", "2028-03-31T00:00Z"}},
		{"cron(0 0 L-3 * ? *)", "2026-02-01T00:00Z", []string{"2026-02-25T00:00Z", "2026-03-28T00:00Z"}},
		{"cron(0 0 L-30 * ? *)", "2026-02-01T00:00Z", []string{"2026-03-01T00:00Z", "2026-05-01T00:00Z"}},
		{"cron(0 0 LW * ? *)", "2026-02-01T00:00Z", []string{"2026-02-27T00:00Z", "2026-03-31T00:00Z", "2026-04-30T00:00Z", "2026-05-29T00:00Z"}},
		{"cron(0 0 1W * ? *)", "2026-07-15T00:00Z", []string{"2026-08-03T00:00Z"}}, // 1 August is a Saturday
		{"cron(0 0 15W * ? *)", "2026-08-01T00:00Z", []string{"2026-08-14T00:00Z"}},
		{"cron(0 0 31W * ? *)", "2026-05-01T00:00Z", []string{"2026-05-29T00:00Z", "2026-07-31T00:00Z"}}, // 31 May is a Sunday; June has none
		{"cron(0 0 29W 2 ? *)", "2026-01-01T00:00Z", []string{"2028-02-29T00:00Z"}},
		// Steps, ranges, lists.
		{"cron(0 11-23/4 ? * 2-6 *)", "2026-02-02T00:00Z", []string{"2026-02-02T11:00Z", "2026-02-02T15:00Z", "2026-02-02T19:00Z", "2026-02-02T23:00Z"}},
		{"cron(0 0 1 1-12/3 ? *)", "2026-01-01T00:00Z", []string{"2026-04-01T00:00Z"}},
		{"cron(0 22-4/3 * * ? *)", "2026-01-01T00:00Z", []string{"2026-01-01T01:00Z", "2026-01-01T04:00Z", "2026-01-01T22:00Z"}},
		{"cron(0/59 * * * ? *)", "2026-01-01T00:00Z", []string{"2026-01-01T00:59Z", "2026-01-01T01:00Z"}},
		{"cron(0 0 1 1 ? 2026/2)", "2026-01-01T00:00Z", []string{"2028-01-01T00:00Z"}},
		{"cron(00 08 01 01 ? *)", "2026-01-01T09:00Z", []string{"2027-01-01T08:00Z"}},
		{"cron(0\t0  1 1 ? *)", "2026-01-01T00:00Z", []string{"2027-01-01T00:00Z"}},
		{"cron(* * * * ? *)", "2026-12-31T23:59Z", []string{"2027-01-01T00:00Z"}},
		// The edges of time.
		{"cron(59 23 31 12 ? 2199)", "2026-01-01T00:00Z", []string{"2199-12-31T23:59Z", "never"}},
		{"cron(* * * * ? *)", "0001-01-01T00:00Z", []string{"1970-01-01T00:00Z"}},
		{"cron(* * * * ? *)", "2199-12-31T23:59Z", []string{"never"}},
	} {
		s := parse(t, c.expression, "")
		if got := occurrences(s, moment(t, c.after), len(c.want)); !equal(got, c.want) {
			t.Errorf("%s after %s: %v, want %v", c.expression, c.after, got, c.want)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestNextIsStrictlyLater(t *testing.T) {
	s := parse(t, "cron(0 9 * * ? *)", "")
	nine := moment(t, "2026-02-01T09:00Z")
	for _, c := range []struct {
		after time.Time
		want  time.Time
	}{
		{nine.Add(-time.Nanosecond), nine},
		{nine, nine.AddDate(0, 0, 1)},
		{nine.Add(time.Nanosecond), nine.AddDate(0, 0, 1)},
		{nine.Add(59 * time.Second), nine.AddDate(0, 0, 1)},
	} {
		if got, _ := s.Next(c.after); !got.Equal(c.want) {
			t.Errorf("after %v: %v, want %v", c.after, got, c.want)
		}
	}
}
