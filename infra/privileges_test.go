package main

import (
	"slices"
	"strings"
	"testing"
)

// What each function may do, besides writing its own log and traces and what follows
// from the queues. Nothing else may be in a policy: a new right is a new line here.
var privileges = map[string][]string{
	"EnqueueFunction": {
		"dynamodb:GetItem <JobsTable.Arn>",
		"dynamodb:PutItem <JobsTable.Arn>",
		"dynamodb:Query <JobsTable.Arn>",
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"s3:PutObject <ObjectsBucket.Arn>/jobs/*",
		"sqs:GetQueueAttributes <PhotosQueue.Arn>",
		"sqs:GetQueueAttributes <VideosQueue.Arn>",
	},
	"StatusFunction": {"dynamodb:GetItem <JobsTable.Arn>", "s3:GetObject <ObjectsBucket.Arn>/jobs/*", "s3:ListBucket <ObjectsBucket.Arn>"},
	"CancelFunction": {
		"dynamodb:GetItem <JobsTable.Arn>",
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["job#*","group#*"]}}`,
		"dynamodb:UpdateItem <JobsTable.Arn>",
	},
	"UploadsFunction": {
		"s3:PutObject <ObjectsBucket.Arn>/uploads/*",
		"sqs:GetQueueAttributes <ImportsQueue.Arn>",
		"sqs:GetQueueAttributes <PhotosQueue.Arn>",
		"sqs:GetQueueAttributes <VideosQueue.Arn>",
	},
	"SiteFunction": {
		"dynamodb:ConditionCheckItem <SiteTable.Arn>",
		"dynamodb:DeleteItem <SiteTable.Arn>",
		"dynamodb:GetItem <JobsTable.Arn>",
		"dynamodb:GetItem <SiteTable.Arn>",
		"dynamodb:PutItem <JobsTable.Arn>",
		"dynamodb:PutItem <SiteTable.Arn>",
		"dynamodb:Query <JobsTable.Arn>",
		"dynamodb:Query <SiteTable.Arn>",
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"dynamodb:UpdateItem <SiteTable.Arn>",
		"s3:GetObject <ObjectsBucket.Arn>/exports/*",
		"s3:GetObject <ObjectsBucket.Arn>/pdfs/*",
		"s3:ListBucket <ObjectsBucket.Arn>",
		"s3:PutObject <ObjectsBucket.Arn>/jobs/*",
		"sqs:GetQueueAttributes <ExportsQueue.Arn>",
		"sqs:GetQueueAttributes <ImportsQueue.Arn>",
		"sqs:GetQueueAttributes <PdfsQueue.Arn>",
		"sqs:GetQueueAttributes <PhotosQueue.Arn>",
	},
	"WebFunction": {"s3:GetObject <ObjectsBucket.Arn>/photos/*", "s3:GetObject <ObjectsBucket.Arn>/videos/*"},
	"ScalingFunction": {
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["sweep"]}}`,
		`dynamodb:Query <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["gauge#*"]}}`,
		`dynamodb:Query <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["sweep"]}}`,
		`dynamodb:UpdateItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["gauge#*"]}}`,
	},
	"SweepFunction": {
		`dynamodb:DeleteItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["unique#*"]}}`,
		"dynamodb:GetItem <JobsTable.Arn>",
		"dynamodb:PutItem <JobsTable.Arn>",
		"dynamodb:Query <JobsTable.Arn>",
		"dynamodb:Query <JobsTable.Arn>/index/due",
		"dynamodb:Scan <JobsTable.Arn>",
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"s3:DeleteObject <ObjectsBucket.Arn>/jobs/*",
		`s3:ListBucket <ObjectsBucket.Arn> if {"StringEquals":{"s3:prefix":"jobs/"}}`,
	},
	"RelayFunction": {
		"dynamodb:DescribeStream <JobsTable.StreamArn>",
		"dynamodb:GetRecords <JobsTable.StreamArn>",
		"dynamodb:GetShardIterator <JobsTable.StreamArn>",
		"dynamodb:ListStreams *",
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["job#*","group#*"]}}`,
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"s3:ListBucket <ObjectsBucket.Arn>",
		"s3:PutObject <ObjectsBucket.Arn>/aws/lambda/*",
		"sns:Publish <RecipesTopic>",
	},
	"BackstopFunction": {
		"dynamodb:GetItem <JobsTable.Arn>",
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["job#*","group#*"]}}`,
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["unique#*"]}}`,
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"sqs:ChangeMessageVisibility <BackstopQueue.Arn>",
		"sqs:DeleteMessage <BackstopQueue.Arn>",
		"sqs:GetQueueAttributes <BackstopQueue.Arn>",
		"sqs:ReceiveMessage <BackstopQueue.Arn>",
	},
	"FifoBackstopFunction": {
		"dynamodb:GetItem <JobsTable.Arn>",
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["job#*","group#*"]}}`,
		`dynamodb:PutItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["unique#*"]}}`,
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"sqs:ChangeMessageVisibility <FifoBackstopQueue.Arn>",
		"sqs:DeleteMessage <FifoBackstopQueue.Arn>",
		"sqs:GetQueueAttributes <FifoBackstopQueue.Arn>",
		"sqs:ReceiveMessage <FifoBackstopQueue.Arn>",
	},
	"SearchFunction": {"dynamodb:DeleteItem <SiteTable.Arn>", "dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>"},
	"FeedsFunction":  {"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>", "dynamodb:Query <SiteTable.Arn>"},
	"NoticesFunction": {
		"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>",
		"dynamodb:Query <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
	},
	"ModerationFunction": {
		"dynamodb:ConditionCheckItem <SiteTable.Arn>", "dynamodb:DeleteItem <SiteTable.Arn>", "dynamodb:GetItem <SiteTable.Arn>",
		"dynamodb:PutItem <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
	},
	"PhotosFunction": {
		"dynamodb:Query <JobsTable.Arn>",
		"dynamodb:GetItem <SiteTable.Arn>",
		"dynamodb:PutItem <SiteTable.Arn>",
		"s3:GetObject <ObjectsBucket.Arn>/uploads/*",
		"s3:PutObject <ObjectsBucket.Arn>/photos/*",
	},
	"TrendingFunction": {"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>", "dynamodb:Query <SiteTable.Arn>"},
	"ExportsFunction": {
		"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>",
		"dynamodb:Query <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
		"s3:GetObject <ObjectsBucket.Arn>/exports/*", "s3:GetObject <ObjectsBucket.Arn>/photos/*",
		"s3:ListMultipartUploadParts <ObjectsBucket.Arn>/exports/*", "s3:PutObject <ObjectsBucket.Arn>/exports/*",
	},
	"PdfsFunction": {
		"dynamodb:GetItem <SiteTable.Arn>", "s3:GetObject <ObjectsBucket.Arn>/photos/*", "s3:PutObject <ObjectsBucket.Arn>/pdfs/*",
	},
	"ImportsFunction": {
		"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
		"s3:GetObject <ObjectsBucket.Arn>/uploads/*",
	},
	"RemindersFunction": {
		"dynamodb:DeleteItem <SiteTable.Arn>", "dynamodb:GetItem <SiteTable.Arn>",
		"dynamodb:PutItem <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
	},
	"UrgentMailFunction": {"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>", sendFrom, sendBy},
	"NewsletterFunction": {
		"dynamodb:GetItem <SiteTable.Arn>", "dynamodb:PutItem <SiteTable.Arn>",
		"dynamodb:Query <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>", sendFrom, sendBy,
	},
	"BouncesFunction": {
		"dynamodb:DeleteItem <SiteTable.Arn>", "dynamodb:GetItem <SiteTable.Arn>", "dynamodb:UpdateItem <SiteTable.Arn>",
		"sqs:ChangeMessageVisibility <BouncesQueue.Arn>", "sqs:DeleteMessage <BouncesQueue.Arn>",
		"sqs:GetQueueAttributes <BouncesQueue.Arn>", "sqs:ReceiveMessage <BouncesQueue.Arn>",
	},
	"SchedulesFunction": {
		"dynamodb:GetItem <JobsTable.Arn>", "dynamodb:PutItem <JobsTable.Arn>", "dynamodb:UpdateItem <JobsTable.Arn>",
		"s3:PutObject <ObjectsBucket.Arn>/jobs/*",
	},
}

// gatePrivileges are those of a function that stands before queues: how long jobs have
// waited, whether the relay goes, and how much clients have sent.
var gatePrivileges = []string{
	`dynamodb:GetItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["sweep","job#*","group#*"]}}`,
	`dynamodb:Query <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["gauge#*"]}}`,
	"dynamodb:Query <JobsTable.Arn>/index/due",
	`dynamodb:UpdateItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["gauge#*"]}}`,
	`dynamodb:UpdateItem <JobsTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["limit#*"]}}`,
}

// gated are the functions that do.
var gated = map[string]bool{"EnqueueFunction": true, "UploadsFunction": true, "SiteFunction": true}

func TestLeastPrivilege(t *testing.T) {
	policies := ofType(t, "AWS::IAM::Policy")
	byQueues := queuePrivileges()
	for _, id := range functionIDs(t) {
		policy := policies[id+"RoleDefaultPolicy"]
		want(t, id+"RoleDefaultPolicy", policy, map[string]string{"Roles": "<" + id + "Role>"})
		own := []string{
			"logs:CreateLogStream <" + id + "Logs.Arn>", "logs:PutLogEvents <" + id + "Logs.Arn>",
			"xray:PutTelemetryRecords *", "xray:PutTraceSegments *",
		}
		if gated[id] {
			own = append(own, gatePrivileges...)
		}
		wanted := slices.Sorted(slices.Values(slices.Concat(own, privileges[id], byQueues[id])))
		if got := allowed(t, policy); !slices.Equal(got, wanted) {
			t.Errorf("%s may\n  %s\nwant\n  %s", id, strings.Join(got, "\n  "), strings.Join(wanted, "\n  "))
		}
	}
	if wanted := len(functionIDs(t)) + len(servicePrivileges); len(policies) != wanted {
		t.Errorf("there are %d policies for %d functions and roles of services", len(policies), wanted)
	}
}

func functionIDs(t *testing.T) []string {
	t.Helper()
	var ids []string
	for id := range ofType(t, "AWS::Lambda::Function") {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// allowed lists every action with every resource of a policy.
func allowed(t *testing.T, policy map[string]any) []string {
	t.Helper()
	var all []string
	document, _ := policy["PolicyDocument"].(map[string]any)
	for _, element := range list(document["Statement"]) {
		statement := element.(map[string]any)
		if statement["Effect"] != "Allow" || statement["NotAction"] != nil || statement["NotResource"] != nil {
			t.Errorf("a statement of another kind: %v", statement)
		}
		condition := ""
		if statement["Condition"] != nil {
			condition = " if " + text(statement["Condition"])
		}
		for _, action := range list(statement["Action"]) {
			for _, resource := range list(statement["Resource"]) {
				all = append(all, text(action)+" "+text(resource)+condition)
			}
		}
	}
	slices.Sort(all)
	return all
}

func list(value any) []any {
	if many, ok := value.([]any); ok {
		return many
	}
	return []any{value}
}
