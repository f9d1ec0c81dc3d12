package main

import (
	"strings"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// hearers are the queues that subscribe to the topic "recipes".
var hearers = []job.Queue{tasks.Search, tasks.Feeds, tasks.Notices, tasks.Moderation}

// backstopOf names the backstop that serves a queue.
func backstopOf(q job.Queue) string {
	if q.FIFO {
		return "FifoBackstop"
	}
	return "Backstop"
}

// queuePrivileges is what follows from Crumb's queues: what the relay, the sweep and
// the backstops may do with each, and what every worker may.
func queuePrivileges() map[string][]string {
	rights := map[string][]string{}
	add := func(function string, all ...string) { rights[function] = append(rights[function], all...) }
	for _, q := range tasks.Queues() {
		queue, letters := "<"+constructs.ID(q.Name)+"Queue.Arn>", "<"+constructs.ID(q.Name)+"DeadLetterQueue.Arn>"
		add("RelayFunction", "sqs:SendMessage "+queue, "sqs:SendMessage "+letters)
		add("SweepFunction", "sqs:GetQueueAttributes "+queue)
		add(backstopOf(q)+"Function", "sqs:SendMessage "+letters)
		if q.Polled {
			continue
		}
		mapping := "<" + constructs.ID(q.Name) + "Mapping.EventSourceMappingArn>"
		add("ScalingFunction", "sqs:GetQueueAttributes "+queue, "lambda:GetEventSourceMapping "+mapping, "lambda:UpdateEventSourceMapping "+mapping)
		add(constructs.ID(q.Name)+"Function",
			"dynamodb:ConditionCheckItem <JobsTable.Arn>", "dynamodb:GetItem <JobsTable.Arn>",
			"dynamodb:PutItem <JobsTable.Arn>", "dynamodb:UpdateItem <JobsTable.Arn>",
			"s3:GetObject <ObjectsBucket.Arn>/jobs/*", "s3:ListBucket <ObjectsBucket.Arn>", "s3:PutObject <ObjectsBucket.Arn>/jobs/*",
			"sqs:ChangeMessageVisibility "+queue, "sqs:DeleteMessage "+queue, "sqs:GetQueueAttributes "+queue,
			"sqs:ReceiveMessage "+queue, "sqs:SendMessage "+letters)
	}
	for _, q := range hearers {
		add(backstopOf(q)+"Function", "sqs:SendMessage <"+constructs.ID(q.Name)+"Queue.Arn>")
	}
	return rights
}

// queueSettings is what follows from Crumb's queues for the settings of functions.
func queueSettings() map[string][]string {
	settings := map[string][]string{}
	for _, q := range tasks.Queues() {
		id, name := constructs.ID(q.Name), "NIGHTSHIFT_QUEUE_"+strings.ToUpper(strings.ReplaceAll(q.Name, "-", "_"))
		functions := []string{"Relay", "Sweep", backstopOf(q)}
		if !q.Polled {
			functions = append(functions, id)
			settings["ScalingFunction"] = append(settings["ScalingFunction"], name+"_URL=<"+id+"Queue>",
				strings.Replace(name, "QUEUE", "MAPPING", 1)+"=<"+id+"Mapping>")
			settings[id+"Function"] = append(settings[id+"Function"], "NIGHTSHIFT_BUCKET=<ObjectsBucket>", "NIGHTSHIFT_TABLE=<JobsTable>")
		}
		for _, function := range functions {
			settings[function+"Function"] = append(settings[function+"Function"],
				name+"_URL=<"+id+"Queue>", name+"_DLQ_URL=<"+id+"DeadLetterQueue>")
		}
	}
	return settings
}
