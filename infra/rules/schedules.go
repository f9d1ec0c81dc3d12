package rules

import (
	"strings"
	"time"
	_ "time/tzdata" // zone names are checked alike on every machine
)

// Cron expressions of EventBridge have six fields, the last the year, and say
// "?" for one of the two day fields:
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
var scheduleRules = []Rule{{
	ID:   "cron-fields",
	Says: "A cron expression has six fields.",
	check: eachCron(func(id string, fields []string, report report) {
		if len(fields) != 6 {
			report(id, "the cron expression has %d fields: minutes, hours, day of month, month, day of week and year are wanted", len(fields))
		}
	}),
}, {
	ID:   "cron-days",
	Says: "A cron expression leaves one of its two day fields open by a question mark.",
	check: eachCron(func(id string, fields []string, report report) {
		if len(fields) >= 5 && (fields[2] == "?") == (fields[4] == "?") {
			report(id, "day of month is %q and day of week %q: exactly one of them must be \"?\"", fields[2], fields[4])
		}
	}),
}, {
	ID:   "time-zone",
	Says: "A schedule's time zone is in the IANA database.",
	check: func(t *template, report report) {
		for _, schedule := range t.of("AWS::Scheduler::Schedule") {
			zone, ok := schedule.at("ScheduleExpressionTimezone").(string)
			if !ok {
				continue
			}
			if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
				report(schedule.id, "there is no time zone %q", zone)
			}
		}
	},
}}

func eachCron(check func(id string, fields []string, report report)) func(*template, report) {
	return func(t *template, report report) {
		for _, schedule := range t.of("AWS::Scheduler::Schedule", "AWS::Events::Rule") {
			expression, _ := schedule.at("ScheduleExpression").(string)
			inside, ok := strings.CutPrefix(strings.TrimSuffix(expression, ")"), "cron(")
			if ok {
				check(schedule.id, strings.Fields(inside), report)
			}
		}
	}
}
