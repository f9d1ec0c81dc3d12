package sizing

import "time"

// Limits of AWS that nobody can have raised.
const (
	// LeastConcurrency and MostConcurrency bound a mapping's MaximumConcurrency.
	// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
	LeastConcurrency = 2
	MostConcurrency  = 1000
	// MostFunctionTimeout is the longest that a function may run.
	// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
	MostFunctionTimeout = 15 * time.Minute
	// MostRetention is the longest that a queue keeps a message, and MostVisibility
	// the longest that one may be hidden.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
	MostRetention  = 14 * 24 * time.Hour
	MostVisibility = 12 * time.Hour
)

// A Quota is how much AWS allows, unless it is asked for more.
type Quota struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Source is the page that says so, Date when it was read (year-month).
	Source string `json:"source"`
	Date   string `json:"date"`
}

// Quotas are what an account and a Region have.
type Quotas struct {
	// Concurrency is Lambda's: invocations of all functions at once.
	Concurrency Quota
	// UnreservedConcurrency is what Lambda keeps back for functions without
	// concurrency of their own: it can't be reserved.
	UnreservedConcurrency Quota
	// ConcurrencyRamp is how many environments a function gains in ten seconds.
	ConcurrencyRamp Quota
	// MappingStart is how many batches of a queue Lambda takes at first, and
	// MappingRamp how many more after each minute.
	MappingStart, MappingRamp Quota
	// InFlight is how many messages of a queue may be with its workers or hidden.
	InFlight Quota
	// FIFORate is how many calls of a kind a FIFO queue takes in a second, with
	// high throughput and in the Region that has least; GroupRate how many for one
	// partition of its groups.
	FIFORate, GroupRate Quota
	// TableWrites and TableReads are units a second of an on-demand table.
	TableWrites, TableReads Quota
	// WarmWrites and WarmReads are what a new on-demand table bears at once; from
	// there it doubles within half an hour.
	WarmWrites, WarmReads Quota
	// PartitionWrites is what one partition of a table takes in a second; each has
	// a shard of the stream.
	PartitionWrites Quota
	// HTTPRate is how many requests a second the account's HTTP APIs take.
	HTTPRate Quota
}

const (
	lambdaQuotas = "https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"
	lambdaScale  = "https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html"
	lambdaSQS    = "https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html"
	sqsQueues    = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html"
	sqsMessages  = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html"
	dynamoQuotas = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html"
	dynamoWarm   = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html"
	apiQuotas    = "https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html"
	quotasRead   = "2026-11"
)

// DefaultQuotas are those that AWS documents.
func DefaultQuotas() Quotas {
	of := func(name string, value float64, unit, source string) Quota {
		return Quota{name, value, unit, source, quotasRead}
	}
	return Quotas{
		Concurrency:           of("Lambda: concurrent executions", 1000, "invocations", lambdaQuotas),
		UnreservedConcurrency: of("Lambda: concurrency that can't be reserved", 100, "invocations", lambdaQuotas),
		ConcurrencyRamp:       of("Lambda: environments more of a function in 10 s", 1000, "environments", lambdaScale),
		MappingStart:          of("Lambda: batches of a queue taken at first", 5, "batches", lambdaSQS),
		MappingRamp:           of("Lambda: batches of a queue more after a minute", 300, "batches", lambdaSQS),
		InFlight:              of("SQS: messages of a queue in flight", 120_000, "messages", sqsQueues),
		FIFORate:              of("SQS: calls of a kind to a FIFO queue", 2400, "a second", sqsMessages),
		GroupRate:             of("SQS: calls of a kind to a partition of a FIFO queue", 300, "a second", sqsMessages),
		TableWrites:           of("DynamoDB: write units of a table", 40_000, "a second", dynamoQuotas),
		TableReads:            of("DynamoDB: read units of a table", 40_000, "a second", dynamoQuotas),
		WarmWrites:            of("DynamoDB: write units that a new table bears", 4000, "a second", dynamoWarm),
		WarmReads:             of("DynamoDB: read units that a new table bears", 12_000, "a second", dynamoWarm),
		PartitionWrites:       of("DynamoDB: write units of a partition", 1000, "a second", dynamoWarm),
		HTTPRate:              of("API Gateway: requests of the account", 10_000, "a second", apiQuotas),
	}
}
