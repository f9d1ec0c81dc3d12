package constructs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

func digest() periodic.Job {
	return periodic.Job{Name: "weekly-digest", Expression: "cron(0 9 ? * MON *)", Zone: "Europe/Berlin",
		Request: func(time.Time) job.Request { return sendDigest.With(struct{ To string }{"all"}) }}
}

func TestPeriodicJobs(t *testing.T) {
	needNode(t)
	s := newShop(t)
	hourly := digest()
	hourly.Name, hourly.Expression, hourly.Zone = "stock_count", "rate(1 hour)", ""
	table := constructs.NewJobsTable(s.stack, "Other")
	made := constructs.NewPeriodicJobs(s.stack, "Times", constructs.PeriodicJobsProps{
		Table: table, Function: function(t, "times"), Jobs: []periodic.Job{digest(), hourly}})
	none := 0
	constructs.NewPeriodicJob(s.stack, "Extra", constructs.PeriodicJobProps{Job: digest(), Function: made.Function, Retries: &none, EventAge: 2 * time.Minute, Disabled: true})

	all := s.synthesised(t).Resources
	for _, c := range []struct {
		id, expression, zone, input, state string
		age, retries                       float64
		letters                            bool
	}{
		{"TimesWeeklyDigestSchedule", "cron(0 9 ? * MON *)", "Europe/Berlin", `{"periodic":"weekly-digest","time":"<aws.scheduler.scheduled-time>"}`, "ENABLED", 3600, 185, true},
		{"TimesStockCountSchedule", "rate(1 hour)", "UTC", `{"periodic":"stock_count","time":"<aws.scheduler.scheduled-time>"}`, "ENABLED", 3600, 185, true},
		{"TimesCheckSchedule", "rate(1 minute)", "UTC", `{"check":true}`, "ENABLED", 60, 0, false},
		{"ExtraSchedule", "cron(0 9 ? * MON *)", "Europe/Berlin", `{"periodic":"weekly-digest","time":"<aws.scheduler.scheduled-time>"}`, "DISABLED", 120, 0, false},
	} {
		made := all[c.id]
		if made.Type != "AWS::Scheduler::Schedule" {
			t.Errorf("%s is a %q", c.id, made.Type)
			continue
		}
		target := made.Properties["Target"].(map[string]any)
		retry := target["RetryPolicy"].(map[string]any)
		if made.Properties["ScheduleExpression"] != c.expression || made.Properties["ScheduleExpressionTimezone"] != c.zone || made.Properties["State"] != c.state ||
			target["Input"] != c.input || retry["MaximumEventAgeInSeconds"] != c.age || retry["MaximumRetryAttempts"] != c.retries || (target["DeadLetterConfig"] != nil) != c.letters {
			t.Errorf("%s: %v", c.id, made.Properties)
		}
		if all[strings.TrimSuffix(c.id, "Schedule")+"ScheduleRole"].Type != "AWS::IAM::Role" {
			t.Errorf("%s has no role of its own", c.id)
		}
	}
}

func TestPeriodicMistakes(t *testing.T) {
	needNode(t)
	for _, c := range []struct {
		name, want string
		change     func(*constructs.PeriodicJobProps)
	}{
		{"both day fields", `day of month: it is "*"`, func(p *constructs.PeriodicJobProps) { p.Job.Expression = "cron(0 9 * * MON *)" }},
		{"five fields", "it has 5 fields", func(p *constructs.PeriodicJobProps) { p.Job.Expression = "cron(0 9 * * MON)" }},
		{"no such zone", "time zone", func(p *constructs.PeriodicJobProps) { p.Job.Zone = "Europe/Bielefeld" }},
		{"no request", "Request is nil", func(p *constructs.PeriodicJobProps) { p.Job.Request = nil }},
		{"age", "from 1m0s to 24h0m0s", func(p *constructs.PeriodicJobProps) { p.EventAge = time.Second }},
		{"retries", "takes 0 to 185", func(p *constructs.PeriodicJobProps) { n := 186; p.Retries = &n }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t)
			props := constructs.PeriodicJobProps{Job: digest(), Function: s.relay.Function}
			c.change(&props)
			mistake := mistakeOf(func() { constructs.NewPeriodicJob(s.stack, "Digest", props) })
			if mistake == nil || !strings.Contains(mistake.Error(), c.want) {
				t.Errorf("the mistake is %v, want one that says %q", mistake, c.want)
			}
		})
	}
	s := newShop(t)
	mistake := mistakeOf(func() {
		constructs.NewPeriodicJobs(s.stack, "Times", constructs.PeriodicJobsProps{Table: constructs.NewJobsTable(s.stack, "Other"), Function: function(t, "times")})
	})
	if mistake == nil || !strings.Contains(mistake.Error(), "no Jobs") {
		t.Error(mistake)
	}
}
