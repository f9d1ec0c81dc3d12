package samtemplate

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T) (*Template, *Scope) {
	t.Helper()
	template, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	s := &Scope{Region: "eu-west-1", AccountID: "000000000000", StackName: "stack", Parameters: map[string]string{"Stage": "dev"},
		Secret: func(id string) (string, error) {
			if id != "arn:secret" {
				return "", errors.New("no such secret")
			}
			return "s3cret", nil
		}}
	s.Set("Queue", "Ref", "http://queue")
	s.Set("Queue", "Arn", "arn:queue")
	s.Set("Queue", "QueueName", "name")
	s.Set("Dead", "Arn", "arn:dead")
	s.Set("Secret", "Ref", "arn:secret")
	s.Set("Table", "StreamArn", "arn:stream")
	s.Set("Worker", "Ref", "worker")
	s.Set("Worker", "Arn", "arn:worker")
	s.Set("Api", "Ref", "api")
	s.Set("Integration", "Ref", "int")
	return template, s
}

func resource(t *testing.T, template *Template, id string) *Resource {
	t.Helper()
	at := slices.IndexFunc(template.Resources, func(r *Resource) bool { return r.ID == id })
	if at < 0 {
		t.Fatalf("no resource %s", id)
	}
	return template.Resources[at]
}

func TestFunctionResolves(t *testing.T) {
	template, s := parsed(t)
	var f Function
	if err := template.Decode(resource(t, template, "Worker"), s, &f); err != nil {
		t.Fatal(err)
	}
	if f.CodeURI != "dist/arm64/worker" || f.Timeout != 20 || f.MemorySize != 256 || *f.EventInvokeConfig.MaximumRetryAttempts != 0 {
		t.Errorf("got %+v", f)
	}
	want := map[string]string{
		"LEVEL": "info", "BOTH": "local", "QUEUE": "http://queue", "ARN": "arn:queue", "SECRET": "s3cret",
		"SUB": "dev-eu-west-1-${literal}-name", "SPLIT": "b", "IF": "dev",
	}
	if !maps.Equal(f.Environment.Variables, want) {
		t.Errorf("variables %v", f.Environment.Variables)
	}
}

func TestQueueResolves(t *testing.T) {
	template, s := parsed(t)
	var q Queue
	if err := template.Decode(resource(t, template, "Queue"), s, &q); err != nil {
		t.Fatal(err)
	}
	if *q.VisibilityTimeout != 120 || q.DelaySeconds != nil || *q.RedrivePolicy != (RedrivePolicy{"arn:dead", 5}) {
		t.Errorf("got %+v", q)
	}
}

func TestOrderFollowsReferences(t *testing.T) {
	template, _ := parsed(t)
	at := map[string]int{}
	for i, r := range template.Resources {
		at[r.ID] = i
	}
	for _, pair := range [][2]string{{"Dead", "Queue"}, {"Queue", "Worker"}, {"Table", "Worker"}, {"Worker", "Mapping"}, {"Integration", "Route"}} {
		if at[pair[0]] > at[pair[1]] {
			t.Errorf("%s comes after %s", pair[0], pair[1])
		}
	}
	if _, ok := at["Role"]; ok {
		t.Error("the role is not ignored")
	}
	if len(template.Warnings) != 1 || !strings.Contains(template.Warnings[0].Error(), "AWS::Unheard::Of") {
		t.Errorf("warnings %v", template.Warnings)
	}
}

func TestConditions(t *testing.T) {
	template, s := parsed(t)
	r := resource(t, template, "ProdOnly")
	for stage, want := range map[string]bool{"dev": false, "prod": true} {
		s.Parameters["Stage"] = stage
		if got, err := template.Active(r, s); got != want || err != nil {
			t.Errorf("stage %s: %t, %v", stage, got, err)
		}
	}
}

func TestWiring(t *testing.T) {
	template, s := parsed(t)
	w, err := template.Wiring(s)
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	for _, r := range w.Routes {
		routes = append(routes, r.Key+" > "+r.Function)
	}
	slices.Sort(routes)
	if got := strings.Join(routes, ", "); got != "$default > arn:worker, GET /x/{id} > arn:worker, POST /y > arn:worker" {
		t.Errorf("routes %s", got)
	}
	mappings := map[string]Mapping{}
	for _, m := range w.Mappings {
		mappings[m.ID] = m
	}
	if m := mappings["WorkerQueue"]; m.EventSourceArn != "arn:queue" || *m.BatchSize != 5 || m.FunctionName != "arn:worker" || len(m.FunctionResponseTypes) != 1 {
		t.Errorf("SAM's queue event: %+v", m)
	}
	if m := mappings["WorkerStream"]; m.EventSourceArn != "arn:stream" || m.StartingPosition != "LATEST" {
		t.Errorf("SAM's stream event: %+v", m)
	}
	if m := mappings["Mapping"]; m.FunctionName != "worker" || *m.BatchSize != 100 || m.MaximumBatchingWindowInSeconds != 1 ||
		*m.ScalingConfig.MaximumConcurrency != 7 || m.FilterCriteria.Filters[0].Pattern != `{"body":["x"]}` {
		t.Errorf("the mapping: %+v", m)
	}
	if len(w.Schedules) != 2 || !slices.Contains(w.Schedules, Schedule{Name: "WorkerTick", Expression: "rate(1 minute)", Function: "arn:worker"}) ||
		!slices.Contains(w.Schedules, Schedule{Name: "Schedule", Expression: "rate(5 minutes)", Function: "arn:worker", Input: `{"a":1}`, Disabled: true}) {
		t.Errorf("schedules %+v", w.Schedules)
	}
	if w.CORS == nil || w.CORS.AllowOrigins[0] != "*" || w.CORS.MaxAge != 60 || w.API != "Api" || len(w.Async) != 1 || w.Async[0].FunctionName != "arn:worker" {
		t.Errorf("wiring %+v", w)
	}
}

func TestUnknownReferenceIsReportedWhenDecoded(t *testing.T) {
	template, s := parsed(t)
	s.attributes["Queue"] = nil
	var f Function
	err := template.Decode(resource(t, template, "Worker"), s, &f)
	if err == nil || strings.Count(err.Error(), "of Queue is not known here") != 3 {
		t.Errorf("got %v", err)
	}
}

func TestEveryMistakeWithItsLine(t *testing.T) {
	for _, c := range []struct {
		name, template string
		want           []string
	}{
		{"not YAML", "a: [", []string{"not YAML"}},
		{"empty", "", []string{"line 1: the template is empty"}},
		{"no resources", "a: b", []string{"line 1: the template has no Resources"}},
		{"several at once", `Resources:
  Q:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: soon
      DelaySeconds: [1]
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Gone.Arn}
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: !Sub dist/${Nope}/x
      Timeout: !Transform x
      Events: {A: {Type: Kafka}}
  N: {}
`, []string{
			"line 5: Q.VisibilityTimeout: want a whole number", "line 6: Q.DelaySeconds: want a single value", "line 7: nothing is called Gone",
			"line 11: nothing is called Nope", "line 12: the function !Transform is not supported", `F.Events.A: the event type "Kafka"`,
			"line 14: resource N has no Type"}},
		{"twice", "Resources:\n  Q: {Type: AWS::SQS::Queue}\n  Q: {Type: AWS::SQS::Queue}\n", []string{"line 3: Q is given twice"}},
		{"cycle", "Resources:\n  A: {Type: AWS::SQS::Queue, DependsOn: B}\n  B: {Type: AWS::SQS::Queue, DependsOn: A}\n", []string{"depends on itself"}},
		{"alias", "Resources:\n  A: &a {Type: AWS::SQS::Queue}\n  B: *a\n", []string{"line 3: YAML aliases"}},
		{"bad functions", `Resources:
  A:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Join [a]
      DelaySeconds: {"Fn::GetAtt": [A]}
      VisibilityTimeout: {"Fn::If": [Never, 1, 2]}
`, []string{"line 5: Fn::Join takes", "line 6: Fn::GetAtt takes", `line 7: no condition "Never"`}},
		{"what nobody knows", `Resources:
  A:
    Type: AWS::SQS::Queue
    Propertys: {}
    Properties:
      QueueName: {"Fn::Frobnicate": [a]}
      RedrivePolicy: {"Fn::ImportValue": x}
  F:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: 901
      MemorySize: -1
      Environment: {Variables: {"Fn::Transform": x}}
`, []string{"line 4: resource A: there is no attribute Propertys", "line 6: A.QueueName: the function Fn::Frobnicate is not supported",
			"line 7: A.RedrivePolicy: the function Fn::ImportValue is not supported", "line 9: F has no CodeUri", "line 11: F.Timeout: 901 is not within 1 and 900",
			"line 12: F.MemorySize: -1 is not within 128 and 10240", "line 13: F.Environment.Variables: the function Fn::Transform is not supported"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.template))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in:\n%v", want, err)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("Resources: {A: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub ['${a}', {a: !If [x, 1, 2]}]}}}"))
	f.Add([]byte("Resources: {A: {Type: AWS::Serverless::Function, Properties: !Ref A}}\nConditions: {a: {Condition: a}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		template, err := Parse(data)
		if err != nil {
			return
		}
		s := &Scope{Region: "r"}
		for _, r := range template.Resources {
			// Any error will do; a panic or an endless loop will not.
			_, _ = template.Active(r, s)
			_ = template.Decode(r, s, prototype(r.Type))
		}
		_, _ = template.Wiring(s)
	})
}

func TestScheduleSettings(t *testing.T) {
	template, err := Parse([]byte(`
AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Monday:
    Type: AWS::Scheduler::Schedule
    Properties:
      ScheduleExpression: cron(0 9 ? * MON *)
      ScheduleExpressionTimezone: Europe/Berlin
      StartDate: "2026-01-01T00:00:00Z"
      EndDate: "2027-01-01T00:00:00Z"
      FlexibleTimeWindow: {Mode: "OFF"}
      Target:
        Arn: arn:aws:sqs:us-east-1:000000000000:mail.fifo
        RoleArn: arn:aws:iam::000000000000:role/r
        SqsParameters: {MessageGroupId: g}
        RetryPolicy: {MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 600}
        DeadLetterConfig: {Arn: arn:aws:sqs:us-east-1:000000000000:letters}
`))
	if err != nil {
		t.Fatal(err)
	}
	w, err := template.Wiring(&Scope{})
	if err != nil || len(w.Schedules) != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	got := w.Schedules[0]
	if got.Retries == nil || *got.Retries != 3 || got.MaximumAge == nil || *got.MaximumAge != 600 {
		t.Errorf("retries %v, age %v", got.Retries, got.MaximumAge)
	}
	got.Retries, got.MaximumAge = nil, nil
	want := Schedule{Name: "Monday", Expression: "cron(0 9 ? * MON *)", Timezone: "Europe/Berlin", Start: "2026-01-01T00:00:00Z", End: "2027-01-01T00:00:00Z",
		Function: "arn:aws:sqs:us-east-1:000000000000:mail.fifo", Group: "g", DeadLetters: "arn:aws:sqs:us-east-1:000000000000:letters"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
