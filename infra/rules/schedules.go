package rules

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

// Expressions and time zones are read by the code that the local stack and the
// functions of periodic jobs read them with.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
var scheduleRules = []Rule{{
	ID:    "schedule-expression",
	Says:  "A schedule's expression is one that EventBridge takes, and comes round.",
	check: eachMistake(func(mistake *schedule.Error) bool { return mistake.Part != schedule.PartZone }),
}, {
	ID:    "time-zone",
	Says:  "A schedule's time zone is in the IANA database.",
	check: eachMistake(func(mistake *schedule.Error) bool { return mistake.Part == schedule.PartZone }),
}}

// eachMistake reports the mistakes of schedules and of scheduled rules that are wanted.
func eachMistake(wanted func(*schedule.Error) bool) func(*template, report) {
	return func(t *template, report report) {
		for _, r := range t.of("AWS::Scheduler::Schedule", "AWS::Events::Rule") {
			var mistake *schedule.Error
			if err := r.schedule(); errors.As(err, &mistake) && wanted(mistake) {
				report(r.id, "%v", mistake)
			}
		}
	}
}

// schedule checks the expression of a resource, as far as it is written out: one that
// CloudFormation makes of other values is not known here.
func (r *resource) schedule() error {
	expression, ok := r.at("ScheduleExpression").(string)
	if !ok {
		return nil // a rule with an event pattern, or a value that is made later
	}
	if r.Type == "AWS::Events::Rule" {
		_, err := schedule.ParseRule(expression)
		return err
	}
	zone := ""
	switch v := r.at("ScheduleExpressionTimezone").(type) {
	case nil:
	case string:
		if zone = v; zone == "" {
			return &schedule.Error{Expression: expression, Part: schedule.PartZone, Problem: "it is empty: leave it out for UTC"}
		}
	}
	when, err := schedule.Parse(expression, zone)
	if err != nil {
		return err
	}
	if _, ever := when.Next(time.Time{}); !ever {
		return &schedule.Error{Expression: expression, Problem: "it never comes round: there is no such date"}
	}
	return nil
}
