package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A planned queue is a queue of the template with the plan that its declaration came
// to. It is found by the settings of functions, which name it.
type planned struct {
	sizing.Plan
	queue   *resource
	letters *resource // nil: in no function's settings
}

// A planRule is one number that must be the plan's.
type planRule struct {
	id, says string
	check    func(t *template, p planned, report report)
}

// planRules hold what is deployed to what was declared: a number that was typed by
// hand, or left behind, goes unnoticed until the queue is full.
var planRules = []planRule{{
	"plan-concurrency", "A mapping has the concurrency and the batch of its queue's plan.", checkConcurrency,
}, {
	"plan-pollers", "A service has as many processes as its queue's workers take.", checkPollers,
}, {
	"plan-times", "Function, visibility timeout and retention are as long as the plan says.", checkTimes,
}, {
	"plan-age", "An alarm watches the queue's age, at the plan's threshold.", func(t *template, p planned, report report) {
		p.wantAlarm(t, report, "ApproximateAgeOfOldestMessage", p.queue, p.AgeAlarm.Seconds())
	},
}, {
	"plan-letters", "An alarm watches the queue's letters: one is enough.", func(t *template, p planned, report report) {
		if p.letters == nil {
			report(p.queue.id, "no function knows its dead-letter queue (%s)", settings.LettersURL(p.Queue.Name))
			return
		}
		p.wantAlarm(t, report, "ApproximateNumberOfMessagesVisible", p.letters, 0)
	},
}, {
	"plan-utilisation", "An alarm watches how busy the workers are, of as many as there are.", checkUtilisation,
}, {
	"plan-refusals", "An alarm on refusals has the plan's threshold.", func(t *template, p planned, report report) {
		for _, alarm := range t.alarmsOn(telemetry.Refused.Name, p.Queue.Name) {
			sameNumber(report, alarm, float64(p.RefusalsAlarm), "Threshold")
		}
	},
}}

// CheckPlans is what a template in JSON has of queues that differs from their plans:
// concurrency, timeouts, thresholds of alarms. Each is found by the settings of
// functions; one that is not there is a finding too. The error is that the template
// can't be read.
func CheckPlans(raw []byte, plans ...sizing.Plan) ([]Finding, error) {
	t, err := parse(raw)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, plan := range plans {
		p := planned{plan, t.named(settings.QueueURL(plan.Queue.Name)), t.named(settings.LettersURL(plan.Queue.Name))}
		if p.queue == nil {
			findings = append(findings, Finding{"plan-queue", plan.Queue.Name, "no function knows the queue: " + settings.QueueURL(plan.Queue.Name) + " is set nowhere"})
			continue
		}
		for _, rule := range planRules {
			rule.check(t, p, func(resource, format string, args ...any) {
				findings = append(findings, Finding{rule.id, resource, fmt.Sprintf(format, args...)})
			})
		}
	}
	return findings, nil
}

func checkConcurrency(t *template, p planned, report report) {
	for _, m := range t.mappings() {
		if m.source == p.queue {
			sameNumber(report, m.resource, float64(p.MaximumConcurrency), "ScalingConfig", "MaximumConcurrency")
			sameNumber(report, m.resource, float64(p.Queue.BatchSize()), "BatchSize")
		}
	}
}

func checkPollers(t *template, p planned, report report) {
	for _, polling := range t.polled() {
		for _, service := range t.of("AWS::ECS::Service") {
			if polling.queue != p.queue || t.target(service.at("TaskDefinition")) != polling.task {
				continue
			}
			pollers, _ := (&resource{Properties: map[string]any{"n": environmentOf(polling.task, settings.Pollers)}}).number("n")
			if have := service.numberOr(1, "DesiredCount") * max(pollers, 1) * float64(p.Queue.SideBySide()); have < float64(p.Workers) {
				report(service.id, "runs %v jobs at once: the plan of %s has %d workers", have, p.Queue.Name, p.Workers)
			}
		}
	}
}

func checkTimes(t *template, p planned, report report) {
	seconds := func(r *resource, byDefault float64, property string) time.Duration {
		return time.Duration(r.numberOr(byDefault, property) * float64(time.Second))
	}
	visibility := seconds(p.queue, defaultVisibility, "VisibilityTimeout")
	retention := seconds(p.queue, defaultRetention, "MessageRetentionPeriod")
	functions := []time.Duration{}
	for _, m := range t.mappings() {
		if m.source == p.queue && m.function != nil {
			functions = append(functions, seconds(m.function, defaultTimeout, "Timeout"))
		}
	}
	if p.Queue.Polled {
		functions = []time.Duration{0}
	}
	for _, function := range functions {
		if err := p.CheckTimeouts(function, visibility, retention); err != nil {
			report(p.queue.id, "%v", err)
		}
	}
	if visibility < p.Visibility {
		report(p.queue.id, "hides messages for %v: the plan's is %v", visibility, p.Visibility)
	}
}

// checkUtilisation finds the workers in the alarm's formula: it divides by the time
// that all of them have in a period.
func checkUtilisation(t *template, p planned, report report) {
	alarms := t.alarmsOn(telemetry.ServiceTime.Name, p.Queue.Name)
	if len(alarms) == 0 {
		report(p.queue.id, "no alarm watches how busy its workers are")
	}
	for _, alarm := range alarms {
		sameNumber(report, alarm, 100*p.UtilisationAlarm, "Threshold")
		expression, period := formula(alarm)
		if want := fmt.Sprintf("/ %d", int64(1000*period)*int64(p.Workers)); !strings.HasSuffix(expression, want) {
			report(alarm.id, "reckons %q each %v s: for %d workers it ends in %q", expression, period, p.Workers, want)
		}
	}
}
