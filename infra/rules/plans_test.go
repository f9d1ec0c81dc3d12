package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// asPlanned is a small template of two queues as their plans have them.
const asPlanned = `{
  "Resources": {
    "Work": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": 360, "MessageRetentionPeriod": 345600}},
    "WorkLetters": {"Type": "AWS::SQS::Queue", "Properties": {}},
    "Films": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": 30, "MessageRetentionPeriod": 345600}},
    "FilmsLetters": {"Type": "AWS::SQS::Queue", "Properties": {}},
    "Worker": {"Type": "AWS::Lambda::Function", "Properties": {"Timeout": 60, "Environment": {"Variables": {
      "NIGHTSHIFT_QUEUE_WORK_URL": {"Ref": "Work"}, "NIGHTSHIFT_QUEUE_WORK_DLQ_URL": {"Ref": "WorkLetters"}}}}},
    "WorkMapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {
      "EventSourceArn": {"Fn::GetAtt": ["Work", "Arn"]}, "FunctionName": {"Ref": "Worker"}, "BatchSize": 1, "ScalingConfig": {"MaximumConcurrency": 90}}},
    "WorkAge": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "ApproximateAgeOfOldestMessage", "Threshold": 600,
      "Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": ["Work", "QueueName"]}}]}},
    "WorkLettersAlarm": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "ApproximateNumberOfMessagesVisible", "Threshold": 0,
      "Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": ["WorkLetters", "QueueName"]}}]}},
    "WorkBusy": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Threshold": 90, "Metrics": [
      {"Id": "all", "Expression": "100 * busy / 27000000"},
      {"Id": "busy", "MetricStat": {"Period": 300, "Stat": "Sum", "Metric": {"MetricName": "ServiceTime", "Dimensions": [{"Name": "Queue", "Value": "work"}]}}}]}},
    "WorkRefused": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "Refused", "Threshold": 12,
      "Dimensions": [{"Name": "Queue", "Value": "work"}]}},
    "FilmsRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {"Statement": [
      {"Effect": "Allow", "Action": "sqs:*", "Resource": {"Fn::GetAtt": ["Films", "Arn"]}}]}}]}},
    "FilmsTask": {"Type": "AWS::ECS::TaskDefinition", "Properties": {"TaskRoleArn": {"Fn::GetAtt": ["FilmsRole", "Arn"]},
      "ContainerDefinitions": [{"Environment": [{"Name": "NIGHTSHIFT_QUEUE_FILMS_URL", "Value": {"Ref": "Films"}},
        {"Name": "NIGHTSHIFT_QUEUE_FILMS_DLQ_URL", "Value": {"Ref": "FilmsLetters"}}, {"Name": "NIGHTSHIFT_POLLERS", "Value": "2"}]}]}},
    "FilmsService": {"Type": "AWS::ECS::Service", "Properties": {"TaskDefinition": {"Ref": "FilmsTask"}, "DesiredCount": 2}},
    "FilmsAge": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "ApproximateAgeOfOldestMessage", "Threshold": 14400,
      "Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": ["Films", "QueueName"]}}]}},
    "FilmsLettersAlarm": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "ApproximateNumberOfMessagesVisible", "Threshold": 0,
      "Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": ["FilmsLetters", "QueueName"]}}]}},
    "FilmsBusy": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Threshold": 90, "Metrics": [
      {"Id": "all", "Expression": "100 * busy / 1200000"},
      {"Id": "busy", "MetricStat": {"Period": 300, "Metric": {"MetricName": "ServiceTime", "Dimensions": [{"Name": "Queue", "Value": "films"}]}}}]}}
  }
}`

// plansOf are those of the two queues: 90 workers, and four that poll.
func plansOf(t *testing.T) []sizing.Plan {
	t.Helper()
	work := job.Queue{Name: "work", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
	films := job.Queue{Name: "films", PeakArrivals: job.PerMinute(1), ServiceTime: 2 * time.Minute, LongestWait: 2 * time.Hour, Polled: true, Utilisation: 0.5}
	var plans []sizing.Plan
	for _, q := range []struct {
		job.Queue
		timeout time.Duration
	}{{work, 50 * time.Second}, {films, 2 * time.Hour}} {
		plan, err := sizing.For(q.Queue, q.timeout)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, plan)
	}
	return plans
}

func TestATemplateAsPlanned(t *testing.T) {
	plans := plansOf(t)
	if plans[0].Workers != 90 || plans[1].Workers != 4 {
		t.Fatalf("%d and %d workers", plans[0].Workers, plans[1].Workers)
	}
	findings, err := CheckPlans([]byte(asPlanned), plans...)
	if err != nil || len(findings) > 0 {
		t.Errorf("CheckPlans = %v, %v", findings, err)
	}
	if _, err := CheckPlans([]byte("{"), plans...); err == nil {
		t.Error("an unreadable template is no error")
	}
}

// Each row changes one number, which is found by one rule at one resource.
func TestEachNumberIsThePlans(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(p properties)
		rule, at string
	}{
		{"concurrency", set("WorkMapping", "ScalingConfig", map[string]any{"MaximumConcurrency": 89.0}), "plan-concurrency", "WorkMapping"},
		{"no concurrency", unset("WorkMapping", "ScalingConfig"), "plan-concurrency", "WorkMapping"},
		{"batch", set("WorkMapping", "BatchSize", 10.0), "plan-concurrency", "WorkMapping"},
		{"processes", set("FilmsService", "DesiredCount", 1.0), "plan-pollers", "FilmsService"},
		{"a function's timeout", set("Worker", "Timeout", 59.0), "plan-times", "Work"},
		{"visibility", set("Work", "VisibilityTimeout", 300.0), "plan-times", "Work"},
		{"retention", set("Work", "MessageRetentionPeriod", 600.0), "plan-times", "Work"},
		{"a polled queue's retention", set("Films", "MessageRetentionPeriod", 7200.0), "plan-times", "Films"},
		{"the age's threshold", set("WorkAge", "Threshold", 900.0), "plan-age", "WorkAge"},
		{"a polled queue's age without the run", set("FilmsAge", "Threshold", 7200.0), "plan-age", "FilmsAge"},
		{"no alarm on age", set("WorkAge", "MetricName", "NumberOfMessagesSent"), "plan-age", "Work"},
		{"an alarm on another queue's age", set("WorkAge", "Dimensions", []any{map[string]any{"Name": "QueueName", "Value": map[string]any{"Fn::GetAtt": []any{"WorkLetters", "QueueName"}}}}), "plan-age", "Work"},
		{"letters that are borne", set("WorkLettersAlarm", "Threshold", 5.0), "plan-letters", "WorkLettersAlarm"},
		{"letters that nobody knows", func(p properties) {
			delete(p["Worker"]["Environment"].(map[string]any)["Variables"].(map[string]any), "NIGHTSHIFT_QUEUE_WORK_DLQ_URL")
		}, "plan-letters", "Work"},
		{"how busy is too busy", set("WorkBusy", "Threshold", 99.0), "plan-utilisation", "WorkBusy"},
		{"busy of other workers", set("WorkBusy", "Metrics", []any{
			map[string]any{"Expression": "100 * busy / 24000000"},
			map[string]any{"MetricStat": map[string]any{"Period": 300.0, "Metric": map[string]any{"MetricName": "ServiceTime",
				"Dimensions": []any{map[string]any{"Value": "work"}}}}},
		}), "plan-utilisation", "WorkBusy"},
		{"nobody looks how busy", set("WorkBusy", "Metrics", []any{}), "plan-utilisation", "Work"},
		{"refusals", set("WorkRefused", "Threshold", 1.0), "plan-refusals", "WorkRefused"},
		{"a queue that nobody knows", func(p properties) {
			delete(p["Worker"]["Environment"].(map[string]any)["Variables"].(map[string]any), "NIGHTSHIFT_QUEUE_WORK_URL")
		}, "plan-queue", "work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			findings, err := CheckPlans(changed(t, asPlanned, c.change), plansOf(t)...)
			if err != nil || len(findings) == 0 {
				t.Fatalf("CheckPlans = %v, %v", findings, err)
			}
			for _, f := range findings {
				if f.Rule != c.rule || f.Resource != c.at {
					t.Errorf("found %v", f)
				}
			}
		})
	}
}

// changed is a template after a change of its properties.
func changed(t *testing.T, raw string, change func(properties)) []byte {
	t.Helper()
	var template struct {
		Resources map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(raw), &template); err != nil {
		t.Fatal(err)
	}
	all := properties{}
	for id, r := range template.Resources {
		all[id] = r["Properties"].(map[string]any)
	}
	change(all)
	out, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
