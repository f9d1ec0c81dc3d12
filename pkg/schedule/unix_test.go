package schedule_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

func TestFromUnix(t *testing.T) {
	for entry, want := range map[string]string{
		"15 12 * * 0":          "cron(15 12 ? * 1 *)",
		"15 12 * * 7":          "cron(15 12 ? * 1 *)",
		"0 9 * * 5-7":          "cron(0 9 ? * 6,7,1 *)",
		"30 1,8 * * 0,1,4,5,6": "cron(30 1,8 ? * 1,2,5,6,7 *)",
		"0 9 * * 1-5":          "cron(0 9 ? * 2,3,4,5,6 *)",
		"0 9 * * mon-fri":      "cron(0 9 ? * 2,3,4,5,6 *)",
		"0 9 * * SUN":          "cron(0 9 ? * 1 *)",
		"0 9 * * 0-7":          "cron(0 9 ? * 1,2,3,4,5,6,7 *)",
		"0 9 * * */2":          "cron(0 9 ? * 1,3,5,7 *)",
		"*/5 * * * *":          "cron(*/5 * * * ? *)",
		"0 0 1 1 *":            "cron(0 0 1 1 ? *)",
		"0 0 1,15 JAN-JUN *":   "cron(0 0 1,15 JAN-JUN ? *)",
	} {
		if got, err := schedule.FromUnix(entry); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", entry, got, err, want)
		}
	}
	for entry, says := range map[string]string{
		"": "this one has 0", "@daily": "this one has 1", "0 0 9 * * *": "this one has 6", "0 9 1 * 1": "either", "0 9 * * 8": "0-7",
		"0 9 * * x": "not understood", "*/60 * * * *": "rate(1 hour)", "61 * * * *": "0-59", "0 9 * * 1L": "not understood",
	} {
		_, err := schedule.FromUnix(entry)
		var refused *schedule.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", entry, err)
		}
	}
}
