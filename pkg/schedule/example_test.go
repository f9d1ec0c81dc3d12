package schedule_test

import (
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

func ExampleParse() {
	mondays, err := schedule.Parse("cron(0 9 ? * MON *)", "Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2026, 10, 16, 0, 0, 0, 0, time.UTC)
	for range 3 {
		at, _ = mondays.Next(at)
		fmt.Println(at)
	}
	_, err = schedule.Parse("cron(0 9 * * MON *)", "Europe/Berlin")
	fmt.Println(err)
	// Output:
	// 2026-10-19 09:00:00 +0200 CEST
	// 2026-10-26 09:00:00 +0100 CET
	// 2026-11-02 09:00:00 +0100 CET
	// schedule: "cron(0 9 * * MON *)": day of month: it is "*" and the day of week is "MON": one of the two must be "?", here the day of month
}
