package rules

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

type properties = map[string]map[string]any

// Each row makes one mistake in the sound template, which is to be found by one
// rule, at one resource, and by no other.
var mistakes = []struct {
	name     string
	make     func(p properties)
	rule, at string
}{
	{"visibility of the timeout, but not six times", set("Work", "VisibilityTimeout", 90.0), "visibility", "Work"},
	{"visibility without the batching window", set("WorkMapping", "MaximumBatchingWindowInSeconds", 5.0), "visibility", "Work"},
	{"visibility left at its default", unset("Work", "VisibilityTimeout"), "visibility", "Work"},
	{"receive count 0", receives(0), "receives", "Work"},
	{"receive count 1", receives(1), "receives", "Work"},
	{"large batch without window", set("WorkMapping", "BatchSize", 100.0), "batch-window", "WorkMapping"},
	{"window on FIFO", func(p properties) {
		p["OrderedMapping"]["MaximumBatchingWindowInSeconds"] = 1.0
		p["Ordered"]["VisibilityTimeout"] = 400.0
	}, "fifo-window", "OrderedMapping"},
	{"bisect on a queue", set("WorkMapping", "BisectBatchOnFunctionError", true), "stream-setting", "WorkMapping"},
	{"starting position on a queue", set("WorkMapping", "StartingPosition", "LATEST"), "stream-setting", "WorkMapping"},
	{"no starting position on a stream", unset("RelayMapping", "StartingPosition"), "starting-position", "RelayMapping"},
	{"two scalings", set("WorkMapping", "ProvisionedPollerConfig", map[string]any{"MinimumPollers": 2.0}), "two-scalings", "WorkMapping"},
	{"reserved less than one mapping", set("Worker", "ReservedConcurrentExecutions", 5.0), "reserved-concurrency", "Worker"},
	{"reserved less than both mappings", set("Worker", "ReservedConcurrentExecutions", "11"), "reserved-concurrency", "Worker"},
	{"letters expire first", set("Letters", "MessageRetentionPeriod", 86400.0), "retention", "Letters"},
	{"letters expire first by default", func(p properties) {
		delete(p["Letters"], "MessageRetentionPeriod")
		p["Work"]["MessageRetentionPeriod"] = 1209600.0
	}, "retention", "Letters"},
	{"index key not defined", func(p properties) {
		p["Jobs"]["AttributeDefinitions"] = p["Jobs"]["AttributeDefinitions"].([]any)[:1]
	}, "key-attribute", "Jobs"},
	{"five cron fields", set("Nightly", "ScheduleExpression", "cron(0 3 ? * MON)"), "schedule-expression", "Nightly"},
	{"both day fields open", set("Nightly", "ScheduleExpression", "cron(0 3 * * * *)"), "schedule-expression", "Nightly"},
	{"a cron field out of bounds", set("Nightly", "ScheduleExpression", "cron(60 3 ? * MON *)"), "schedule-expression", "Nightly"},
	{"a day that never comes", set("Nightly", "ScheduleExpression", "cron(0 3 31 2 ? *)"), "schedule-expression", "Nightly"},
	{"a rate without a unit", set("Nightly", "ScheduleExpression", "rate(5)"), "schedule-expression", "Nightly"},
	{"a rate of several in the singular", set("Nightly", "ScheduleExpression", "rate(5 minute)"), "schedule-expression", "Nightly"},
	{"no time of the calendar", set("Nightly", "ScheduleExpression", "at(2026-02-30T09:00:00)"), "schedule-expression", "Nightly"},
	{"an expression in words", set("Nightly", "ScheduleExpression", "every monday"), "schedule-expression", "Nightly"},
	{"a plural of one in a rule", set("Tick", "ScheduleExpression", "rate(1 minutes)"), "schedule-expression", "Tick"},
	{"once in a rule", set("Tick", "ScheduleExpression", "at(2026-12-24T18:00:00)"), "schedule-expression", "Tick"},
	{"an empty time zone", set("Nightly", "ScheduleExpressionTimezone", ""), "time-zone", "Nightly"},
	{"unknown time zone", set("Nightly", "ScheduleExpressionTimezone", "Europe/Atlantis"), "time-zone", "Nightly"},
	{"time zone of the computer", set("Nightly", "ScheduleExpressionTimezone", "Local"), "time-zone", "Nightly"},
	{"filter not JSON", filter(`{"dynamodb":`), "filter-json", "RelayMapping"},
	{"filter null", filter(`null`), "filter-json", "RelayMapping"},
	{"filter of a bare value", filter(`{"eventName":"INSERT"}`), "filter-scalar", "RelayMapping"},
	{"more data points than periods", set("Late", "DatapointsToAlarm", 4.0), "datapoints", "Late"},
	{"table without stream", unset("Jobs", "StreamSpecification"), "stream-off", "Jobs"},
	{"role without rights on the queue", func(p properties) {
		p["WorkerRole"]["Policies"] = []any{map[string]any{"PolicyDocument": map[string]any{"Statement": []any{
			allow([]any{"sqs:ReceiveMessage", "sqs:GetQueueAttributes"}, map[string]any{"Fn::GetAtt": []any{"Work", "Arn"}}),
			allow([]any{"sqs:*"}, map[string]any{"Fn::GetAtt": []any{"Ordered", "Arn"}}),
		}}}}
	}, "role-source", "WorkerRole"},
	{"topic not let in", func(p properties) { p["WorkPolicy"]["Queues"] = []any{map[string]any{"Ref": "Letters"}} }, "topic-queue", "Work"},
	{"gateway not let in", set("Permission", "Principal", "events.amazonaws.com"), "api-function", "Relay"},
	{"killed while it drains", container("StopTimeout", 100.0), "stop-timeout", "FilmsTask"},
	{"killed when ECS likes", container("StopTimeout", nil), "stop-timeout", "FilmsTask"},
	{"more time than Fargate gives", container("StopTimeout", 300.0), "stop-timeout", "FilmsTask"},
	{"no right to extend the visibility", filmsRights("sqs:ReceiveMessage", "sqs:DeleteMessage"), "task-queue", "FilmsTask"},
	{"no right to delete", filmsRights("sqs:ReceiveMessage", "sqs:ChangeMessageVisibility"), "task-queue", "FilmsTask"},
	{"polled queue without a visibility timeout", unset("Films", "VisibilityTimeout"), "polled-visibility", "Films"},
	{"visible before the hold is over", set("Films", "VisibilityTimeout", 24.0), "polled-visibility", "Films"},
	{"a mapping of a polled queue", func(p properties) {
		filmsRights("sqs:*")(p)
		p["FilmsRole"]["Policies"].([]any)[0].(map[string]any)["PolicyDocument"].(map[string]any)["Statement"].([]any)[0].(map[string]any)["Resource"] =
			[]any{map[string]any{"Fn::GetAtt": []any{"Films", "Arn"}}, map[string]any{"Fn::GetAtt": []any{"Work", "Arn"}}}
	}, "two-pollers", "WorkMapping"},
	{"a public subnet without an address", func(p properties) {
		p["FilmsService"]["NetworkConfiguration"].(map[string]any)["AwsvpcConfiguration"].(map[string]any)["AssignPublicIp"] = "DISABLED"
	}, "public-ip", "FilmsService"},
	{"tasks started for ever", unset("FilmsService", "DeploymentConfiguration"), "circuit-breaker", "FilmsService"},
	{"gateway let in by another path", set("Permission", "SourceArn", "arn:aws:execute-api:x/*/*/uploads"), "api-function", "Relay"},
}

func set(id, property string, value any) func(properties) {
	return func(p properties) { p[id][property] = value }
}

func unset(id, property string) func(properties) {
	return func(p properties) { delete(p[id], property) }
}

// container sets a property of the polling task's container; nil takes it away.
func container(property string, value any) func(properties) {
	return func(p properties) {
		c := p["FilmsTask"]["ContainerDefinitions"].([]any)[0].(map[string]any)
		if c[property] = value; value == nil {
			delete(c, property)
		}
	}
}

func filmsRights(actions ...string) func(properties) {
	list := make([]any, len(actions))
	for i, action := range actions {
		list[i] = action
	}
	return func(p properties) {
		p["FilmsRole"]["Policies"] = []any{map[string]any{"PolicyDocument": map[string]any{"Statement": []any{
			allow(list, map[string]any{"Fn::GetAtt": []any{"Films", "Arn"}}),
		}}}}
	}
}

func receives(n float64) func(properties) {
	return func(p properties) { p["Work"]["RedrivePolicy"].(map[string]any)["maxReceiveCount"] = n }
}

func filter(pattern string) func(properties) {
	return set("RelayMapping", "FilterCriteria", map[string]any{"Filters": []any{map[string]any{"Pattern": pattern}}})
}

func allow(actions []any, resource any) map[string]any {
	return map[string]any{"Effect": "Allow", "Action": actions, "Resource": resource}
}

func TestSoundTemplateHasNoFindings(t *testing.T) {
	findings, err := Check([]byte(sound))
	if err != nil || len(findings) > 0 {
		t.Fatalf("Check = %v, %v", findings, err)
	}
}

func TestMistakesAreFound(t *testing.T) {
	proved := map[string]bool{}
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			findings, err := Check(spoiled(t, m.make))
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) != 1 || findings[0].Rule != m.rule || findings[0].Resource != m.at {
				t.Errorf("found %v, want %s at %s alone", findings, m.rule, m.at)
			}
			proved[m.rule] = true
		})
	}
	for _, rule := range All() {
		if !proved[rule.ID] {
			t.Errorf("no mistake proves rule %s", rule.ID)
		}
	}
}

func spoiled(t *testing.T, spoil func(properties)) []byte {
	t.Helper()
	return changed(t, sound, spoil)
}

// What AWS accepts as well must not be reported.
func TestOtherSoundForms(t *testing.T) {
	for name, change := range map[string]func(properties){
		"AWS's own policy": func(p properties) {
			p["WorkerRole"]["Policies"] = nil
			p["WorkerRole"]["ManagedPolicyArns"] = []any{"arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"}
		},
		"permission for all routes": unset("Permission", "SourceArn"),
		"numbers as strings":        set("Work", "VisibilityTimeout", "360"),
		"GetAtt as one string":      set("WorkMapping", "EventSourceArn", map[string]any{"Fn::GetAtt": "Work.Arn"}),
		"rate":                      set("Nightly", "ScheduleExpression", "rate(5 minutes)"),
		"a plural of one":           set("Nightly", "ScheduleExpression", "rate(1 minutes)"), // Scheduler takes it, rules do not
		"once":                      set("Nightly", "ScheduleExpression", "at(2026-12-24T18:00:00)"),
		"an expression made later":  set("Nightly", "ScheduleExpression", map[string]any{"Ref": "Expression"}),
		"day of month":              set("Nightly", "ScheduleExpression", "cron(0 3 1 * ? *)"),
		"source elsewhere":          set("WorkMapping", "EventSourceArn", "arn:aws:sqs:eu-west-1:000000000000:theirs"),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "GetAtt as one string" {
				p := change
				change = func(all properties) {
					p(all)
					all["WorkerRole"]["Policies"] = []any{map[string]any{"PolicyDocument": map[string]any{
						"Statement": allow([]any{"sqs:*"}, "*")}}}
				}
			}
			findings, err := Check(spoiled(t, change))
			if err != nil || len(findings) > 0 {
				t.Errorf("Check = %v, %v", findings, err)
			}
		})
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"sqs:*", "sqs:receivemessage", true},
		{"*", "", true},
		{"a", "ab", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"ab*ba", "aba", false},
		{"/*/*/jobs/{id}", "/$default/GET/jobs/{id}", true},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestUnreadableTemplates(t *testing.T) {
	for _, raw := range []string{"", "[]", `{"Resources":{"A":null}}`, `{"Resources":{"A":{"Properties":3}}}`} {
		if _, err := Check([]byte(raw)); err == nil {
			t.Errorf("Check(%q) found nothing wrong", raw)
		}
	}
}

// Whatever the template, Check answers, and the same twice.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(sound))
	var template struct{ Resources map[string]any }
	if err := json.Unmarshal([]byte(sound), &template); err != nil {
		f.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(template.Resources)) {
		one, err := json.Marshal(map[string]any{"Resources": map[string]any{id: template.Resources[id]}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one)
	}
	f.Add([]byte(asPlanned))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := CheckPlans(raw, plansOf(t)...); (err == nil) != json.Valid(raw) && err == nil {
			t.Errorf("an unreadable template is no error: %q", raw)
		}
		first, err := Check(raw)
		second, again := Check(raw)
		if !slices.Equal(first, second) || (err == nil) != (again == nil) {
			t.Errorf("two answers: %v, %v and %v, %v", first, err, second, again)
		}
	})
}
