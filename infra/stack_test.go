package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/infra/constructs"
)

// A resource of the synthesised template.
type resource struct {
	Type           string
	DeletionPolicy string
	Properties     map[string]any
}

func resources(t *testing.T) map[string]resource {
	t.Helper()
	var template struct{ Resources map[string]resource }
	if err := json.Unmarshal(crumbAssembly(t).template, &template); err != nil {
		t.Fatal(err)
	}
	return template.Resources
}

// text is a value of the template on one line, with what it refers to in
// brackets: <PhotosQueue.Arn>, <ObjectsBucket.Arn>/uploads/*.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = text(element)
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		if ref, ok := v["Ref"]; ok {
			return "<" + text(ref) + ">"
		}
		if attribute, ok := v["Fn::GetAtt"].([]any); ok {
			return "<" + text(attribute[0]) + "." + text(attribute[1]) + ">"
		}
		if join, ok := v["Fn::Join"].([]any); ok {
			var b strings.Builder
			for _, part := range join[1].([]any) {
				b.WriteString(text(part))
			}
			return b.String()
		}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func ofType(t *testing.T, kind string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for id, r := range resources(t) {
		if r.Type == kind {
			found[id] = r.Properties
		}
	}
	if len(found) == 0 {
		t.Fatalf("the stack has no %s", kind)
	}
	return found
}

// want compares properties with what they should be, as text.
func want(t *testing.T, id string, properties map[string]any, wanted map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		value := any(properties)
		for part := range strings.SplitSeq(name, ".") {
			object, _ := value.(map[string]any)
			value = object[part]
		}
		got := "none"
		if value != nil {
			got = text(value)
		}
		if got != wanted[name] {
			t.Errorf("%s: %s is %s, want %s", id, name, got, wanted[name])
		}
	}
}

func TestFunctions(t *testing.T) {
	all := resources(t)
	functions := ofType(t, "AWS::Lambda::Function")
	if want := functionCount(t); len(functions) != want {
		t.Errorf("there are %d functions, want %d", len(functions), want)
	}
	for id, p := range functions {
		want(t, id, p, map[string]string{
			"Architectures":           "arm64",
			"Runtime":                 "provided.al2023",
			"Handler":                 "bootstrap",
			"Role":                    "<" + id + "Role.Arn>",
			"TracingConfig.Mode":      "Active",
			"LoggingConfig.LogFormat": "JSON",
			"LoggingConfig.LogGroup":  "<" + id + "Logs>",
		})
		want(t, id+"Logs", all[id+"Logs"].Properties, map[string]string{"LogGroupName": "none", "RetentionInDays": "30"})
		want(t, id+"Role", all[id+"Role"].Properties, map[string]string{"ManagedPolicyArns": "none", "Policies": "none"})
		if p["Timeout"] == nil {
			t.Errorf("%s has no timeout", id)
		}
	}
	want(t, "PhotosFunction", functions["PhotosFunction"], map[string]string{
		"MemorySize": "1769", "Timeout": "60", "ReservedConcurrentExecutions": "none"})
	for _, id := range []string{"Relay", "Enqueue", "Status", "Cancel", "Uploads", "Web", "Site"} {
		if functions[id+"Function"]["ReservedConcurrentExecutions"] == nil {
			t.Errorf("%sFunction has no concurrency of its own", id)
		}
	}
}

// Each function has the settings that it needs, and no other.
func TestEnvironments(t *testing.T) {
	const table, bucket, secret = "NIGHTSHIFT_TABLE=<JobsTable>", "NIGHTSHIFT_BUCKET=<ObjectsBucket>",
		"NIGHTSHIFT_SECRET={{resolve:secretsmanager:<KeySecret>:SecretString:::}}"
	const queue, films = "NIGHTSHIFT_QUEUE_PHOTOS_URL=<PhotosQueue>", "NIGHTSHIFT_QUEUE_VIDEOS_URL=<VideosQueue>"
	wanted := map[string][]string{
		"EnqueueFunction": {bucket, queue, films, secret, table},
		"StatusFunction":  {bucket, table},
		"CancelFunction":  {table},
		"UploadsFunction": {bucket, table, queue, films, "NIGHTSHIFT_QUEUE_IMPORTS_URL=<ImportsQueue>"},
		"WebFunction":     {bucket},
		"SiteFunction": {bucket, "CRUMB_TABLE=<SiteTable>", queue, "NIGHTSHIFT_QUEUE_EXPORTS_URL=<ExportsQueue>",
			"NIGHTSHIFT_QUEUE_IMPORTS_URL=<ImportsQueue>", "NIGHTSHIFT_QUEUE_PDFS_URL=<PdfsQueue>", secret, table},
		"SweepFunction":    {bucket, table},
		"ScalingFunction":  {table},
		"RelayFunction":    {table, "NIGHTSHIFT_TOPIC_RECIPES_ARN=<RecipesTopic>"},
		"BackstopFunction": {table, "NIGHTSHIFT_BACKSTOP_URL=<BackstopQueue>"},
		"PhotosFunction":   {"CRUMB_TABLE=<SiteTable>"},

		"FifoBackstopFunction": {table, "NIGHTSHIFT_BACKSTOP_URL=<FifoBackstopQueue>"},
		"SearchFunction":       {"CRUMB_TABLE=<SiteTable>"},
		"FeedsFunction":        {"CRUMB_TABLE=<SiteTable>"},
		"NoticesFunction":      {"CRUMB_TABLE=<SiteTable>"},
		"ModerationFunction":   {"CRUMB_TABLE=<SiteTable>"},

		"TrendingFunction":  {"CRUMB_TABLE=<SiteTable>"},
		"ExportsFunction":   {"CRUMB_TABLE=<SiteTable>", secret},
		"PdfsFunction":      {"CRUMB_TABLE=<SiteTable>"},
		"ImportsFunction":   {"CRUMB_TABLE=<SiteTable>"},
		"RemindersFunction": {"CRUMB_TABLE=<SiteTable>"},

		"UrgentMailFunction": {"CRUMB_TABLE=<SiteTable>", mailFrom, mailSet, mailURL},
		"NewsletterFunction": {"CRUMB_TABLE=<SiteTable>", mailFrom, mailSet, mailURL, secret},
		"BouncesFunction":    {"CRUMB_TABLE=<SiteTable>", table},
		"SchedulesFunction":  {bucket, table},
	}
	byQueues := queueSettings()
	for id, p := range ofType(t, "AWS::Lambda::Function") {
		got := []string{}
		variables := p["Environment"].(map[string]any)["Variables"].(map[string]any)
		for name, value := range variables {
			if name != "NIGHTSHIFT_LOG_LEVEL" && name != "NIGHTSHIFT_NAMESPACE" {
				got = append(got, name+"="+text(value))
			}
		}
		if variables["NIGHTSHIFT_NAMESPACE"] != namespace {
			t.Errorf("%s writes its metrics to %v", id, variables["NIGHTSHIFT_NAMESPACE"])
		}
		slices.Sort(got)
		all := slices.Sorted(slices.Values(slices.Concat(wanted[id], byQueues[id])))
		if !slices.Equal(got, all) {
			t.Errorf("%s has\n%s, want\n%s", id, strings.Join(got, "\n"), strings.Join(all, "\n"))
		}
	}
}

func TestQueues(t *testing.T) {
	queues := ofType(t, "AWS::SQS::Queue")
	policies := ofType(t, "AWS::SQS::QueuePolicy")
	for id, p := range queues {
		want(t, id, p, map[string]string{"SqsManagedSseEnabled": "true", "ReceiveMessageWaitTimeSeconds": "20"})
		if !strings.Contains(text(policies[id+"Policy"]["PolicyDocument"]), `"aws:SecureTransport":"false"`) {
			t.Errorf("%s takes messages without TLS", id)
		}
	}
	want(t, "PhotosQueue", queues["PhotosQueue"], map[string]string{
		"VisibilityTimeout":                 "360",
		"RedrivePolicy.deadLetterTargetArn": "<BackstopQueue.Arn>",
		"RedrivePolicy.maxReceiveCount":     "1000",
	})
	want(t, "BackstopQueue", queues["BackstopQueue"], map[string]string{
		"RedrivePolicy.deadLetterTargetArn": "<BackstopDeadLetterQueue.Arn>",
	})
	// Without it AWS's console could not move letters.
	want(t, "PhotosRedrivePermit", queues["PhotosRedrivePermit"], map[string]string{
		"RedrivePolicy.deadLetterTargetArn": "<PhotosDeadLetterQueue.Arn>",
	})
	for _, id := range []string{"PhotosDeadLetterQueue", "BackstopDeadLetterQueue"} {
		want(t, id, queues[id], map[string]string{"MessageRetentionPeriod": "1209600", "RedrivePolicy": "none"})
	}
}

func TestMappings(t *testing.T) {
	mappings := ofType(t, "AWS::Lambda::EventSourceMapping")
	want(t, "PhotosMapping", mappings["PhotosMapping"], map[string]string{
		"EventSourceArn":                   "<PhotosQueue.Arn>",
		"BatchSize":                        "1",
		"FunctionResponseTypes":            "ReportBatchItemFailures",
		"ScalingConfig.MaximumConcurrency": "90",
	})
	want(t, "RelayMapping", mappings["RelayMapping"], map[string]string{
		"EventSourceArn":                          "<JobsTable.StreamArn>",
		"BatchSize":                               "100",
		"StartingPosition":                        "TRIM_HORIZON",
		"ParallelizationFactor":                   "1",
		"FunctionResponseTypes":                   "ReportBatchItemFailures",
		"BisectBatchOnFunctionError":              "true",
		"MaximumRetryAttempts":                    "10",
		"MaximumRecordAgeInSeconds":               "3600",
		"DestinationConfig.OnFailure.Destination": "<ObjectsBucket.Arn>",
		"FilterCriteria.Filters":                  `{"Pattern":"{\"dynamodb\":{\"NewImage\":{\"publish\":{\"M\":{\"n\":{\"N\":[{\"exists\":true}]}}}}}}"}`,
	})
}

func TestStores(t *testing.T) {
	all := resources(t)
	for _, id := range []string{"JobsTable", "ObjectsBucket", "KeySecret"} {
		if all[id].DeletionPolicy != "Retain" {
			t.Errorf("%s goes with the stack", id)
		}
	}
	want(t, "JobsTable", all["JobsTable"].Properties, map[string]string{
		"BillingMode":                        "PAY_PER_REQUEST",
		"DeletionProtectionEnabled":          "true",
		"StreamSpecification.StreamViewType": "NEW_AND_OLD_IMAGES",
		"TimeToLiveSpecification":            `{"AttributeName":"ttl","Enabled":true}`,
		"PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled": "true",
		"GlobalSecondaryIndexes": `{"IndexName":"due","KeySchema":[{"AttributeName":"due_slot","KeyType":"HASH"},` +
			`{"AttributeName":"due_ms","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}`,
	})
	bucket := all["ObjectsBucket"].Properties
	want(t, "ObjectsBucket", bucket, map[string]string{
		"PublicAccessBlockConfiguration": `{"BlockPublicAcls":true,"BlockPublicPolicy":true,"IgnorePublicAcls":true,"RestrictPublicBuckets":true}`,
	})
	for _, part := range []string{`"SSEAlgorithm":"AES256"`, `"AllowedMethods":["GET","HEAD","PUT"]`, `"ExposedHeaders":["ETag"]`,
		`"ExpirationInDays":7,"Id":"uploads","Prefix":"uploads/"`,
		`"ExpirationInDays":91,"Id":"once","Prefix":"once/"`, `"ExpirationInDays":30,"Id":"discarded","Prefix":"aws/lambda/"`, `"AbortIncompleteMultipartUpload":{"DaysAfterInitiation":1}`} {
		if !strings.Contains(text(bucket), part) {
			t.Errorf("ObjectsBucket lacks %s", part)
		}
	}
	if !strings.Contains(text(all["ObjectsBucketPolicy"].Properties), `"aws:SecureTransport":"false"`) {
		t.Error("ObjectsBucket can be used without TLS")
	}
}

func TestAPI(t *testing.T) {
	all := resources(t)
	want(t, "ApiStage", all["ApiStage"].Properties, map[string]string{
		"StageName":                                   "$default",
		"AccessLogSettings.DestinationArn":            "<ApiAccessLogs.Arn>",
		"DefaultRouteSettings.ThrottlingRateLimit":    "500",
		"DefaultRouteSettings.ThrottlingBurstLimit":   "1000",
		"DefaultRouteSettings.DetailedMetricsEnabled": "true",
	})
	routes := map[string]string{}
	for _, p := range ofType(t, "AWS::ApiGatewayV2::Route") {
		integration := strings.Trim(strings.TrimPrefix(text(p["Target"]), "integrations/"), "<>")
		want(t, integration, all[integration].Properties, map[string]string{"PayloadFormatVersion": "2.0", "IntegrationType": "AWS_PROXY"})
		routes[text(p["RouteKey"])] = text(all[integration].Properties["IntegrationUri"])
	}
	wanted := map[string]string{
		"POST /jobs/{task}": "<EnqueueFunction.Arn>",
		"GET /jobs/{id}":    "<StatusFunction.Arn>",
		"DELETE /jobs/{id}": "<CancelFunction.Arn>",
		"POST /uploads":     "<UploadsFunction.Arn>",
		"GET /":             "<WebFunction.Arn>",
		"POST /exports":     "<SiteFunction.Arn>",
		"GET /exports/{id}": "<SiteFunction.Arn>",

		"GET /exports/{id}/file": "<SiteFunction.Arn>",
		"GET /{proxy+}":          "<WebFunction.Arn>",
	}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		wanted[method+" /api/{proxy+}"] = "<SiteFunction.Arn>"
	}
	if !maps.Equal(routes, wanted) {
		t.Errorf("the routes are %v, want %v", routes, wanted)
	}
}

func TestSweepAndScalingRunEveryMinute(t *testing.T) {
	schedules := ofType(t, "AWS::Scheduler::Schedule")
	for _, id := range []string{"Sweep", "Scaling"} {
		want(t, id+"Schedule", schedules[id+"Schedule"], map[string]string{
			"ScheduleExpression": "rate(1 minute)", "State": "ENABLED", "Target.Arn": "<" + id + "Function.Arn>"})
		want(t, id+"FunctionEventInvokeConfig", resources(t)[id+"FunctionEventInvokeConfig"].Properties,
			map[string]string{"MaximumRetryAttempts": "0", "MaximumEventAgeInSeconds": "60"})
	}
}

func TestAlarms(t *testing.T) {
	alarms := ofType(t, "AWS::CloudWatch::Alarm")
	for id, wanted := range map[string]map[string]string{
		"PhotosQueueAgeAlarm":         {"MetricName": "ApproximateAgeOfOldestMessage", "Threshold": "600"},
		"PhotosDeadLettersAlarm":      {"MetricName": "ApproximateNumberOfMessagesVisible", "Threshold": "0"},
		"BackstopDeadLettersAlarm":    {"MetricName": "ApproximateNumberOfMessagesVisible", "Threshold": "0"},
		"RelayLatenessAlarm":          {"MetricName": "IteratorAge", "Threshold": "60000"},
		"RelayDiscardedAlarm":         {"MetricName": "OnFailureDestinationDeliveredEventCount", "Threshold": "0"},
		"SweepStoppedAlarm":           {"MetricName": "Invocations", "TreatMissingData": "breaching"},
		"ApiServerErrorsAlarm":        {"MetricName": "5xx", "Threshold": "0.01"},
		"PhotosFunctionDurationAlarm": {"MetricName": "Duration", "Threshold": "48000"},
	} {
		want(t, id, alarms[id], wanted)
	}
	for _, name := range names(t) {
		id := constructs.ID(name) + "Function"
		for _, kind := range []string{"Errors", "Throttles", "Duration"} {
			if alarms[id+kind+"Alarm"] == nil {
				t.Errorf("%s has no alarm on %s", id, kind)
			}
		}
	}
}

func TestNoNameIsFixed(t *testing.T) {
	fixed := []string{"TableName", "QueueName", "BucketName", "FunctionName", "RoleName", "AlarmName", "DashboardName", "LogGroupName"}
	for id, r := range resources(t) {
		for _, name := range fixed {
			if value, ok := r.Properties[name].(string); ok {
				t.Errorf("%s fixes %s to %q: two stacks could not live in one account", id, name, value)
			}
		}
	}
}
