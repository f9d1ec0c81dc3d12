package constructs

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// DueIndex is the index of the jobs table that holds scheduled rows only.
const DueIndex = "due"

// NewJobsTable makes the one table: a row for each job, its stream for the
// relay, expiry by the attribute ttl (in seconds), and the sparse index of what
// comes due, keyed by minute and shard so that no key is hot. It is billed on
// demand, can be restored to any second of the last 35 days, and survives both
// a mistaken delete and the stack.
//
// The range key is sk: rows of a FIFO group share a partition key, because a
// stream keeps order within one item collection only.
func NewJobsTable(scope core.Construct, id string) awsdynamodb.Table {
	table := awsdynamodb.NewTable(scope, jsii.String(id), &awsdynamodb.TableProps{
		PartitionKey:        attribute("pk", awsdynamodb.AttributeType_STRING),
		SortKey:             attribute("sk", awsdynamodb.AttributeType_STRING),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		Stream:              awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES,
		TimeToLiveAttribute: jsii.String("ttl"),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
			RecoveryPeriodInDays:       jsii.Number(35),
		},
		DeletionProtection: jsii.Bool(true),
		RemovalPolicy:      awscdk.RemovalPolicy_RETAIN,
	})
	table.AddGlobalSecondaryIndex(&awsdynamodb.GlobalSecondaryIndexProps{
		IndexName:      jsii.String(DueIndex),
		PartitionKey:   attribute("due_slot", awsdynamodb.AttributeType_STRING),
		SortKey:        attribute("due_ms", awsdynamodb.AttributeType_NUMBER),
		ProjectionType: awsdynamodb.ProjectionType_KEYS_ONLY,
	})
	return table
}

// IndexArn is the ARN of one index of a table, for Allow.
func IndexArn(table awsdynamodb.Table, index string) *string {
	return jsii.String(*table.TableArn() + "/index/" + index)
}

func attribute(name string, kind awsdynamodb.AttributeType) *awsdynamodb.Attribute {
	return &awsdynamodb.Attribute{Name: jsii.String(name), Type: kind}
}
