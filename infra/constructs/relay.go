package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

// PublishFilter matches the stream records of rows that ask to be published. A
// filter sees leaves only, hence the number inside the map.
// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
const PublishFilter = `{"dynamodb":{"NewImage":{"publish":{"M":{"n":{"N":[{"exists":true}]}}}}}}`

// The relay's mapping gives up a record after so many tries or at such an age,
// so that one bad record cannot hold its shard for a day. What it gives up is
// kept in the bucket, and the sweep publishes those rows again besides.
const (
	relayBatch    = 100
	relayRetries  = 10
	relayOldest   = time.Hour
	relayLateness = time.Minute
)

// RelayProps are the settings of a stack's relay.
type RelayProps struct {
	// Table is the jobs table.
	Table awsdynamodb.Table
	// Bucket keeps, whole, the records that the mapping gives up.
	Bucket awss3.Bucket
	// Function is the relay. Timeout defaults to 30 seconds. It should have
	// concurrency of its own, so that nothing in the account can hold it up.
	Function FunctionProps
	// Window is how long Lambda waits to fill a batch, in whole seconds: it
	// trades latency for fewer calls. Zero publishes at once.
	Window time.Duration
}

// A Relay reads the stream of the jobs table and publishes what was written.
type Relay struct {
	// Function is the relay.
	Function awslambda.Function
}

// NewRelay makes the relay of a stack.
func NewRelay(scope core.Construct, id string, props RelayProps) Relay {
	self := core.NewConstruct(scope, jsii.String(id))
	props.Function.Timeout = orDefault(props.Function.Timeout, 30*time.Second)
	function := NewFunction(self, "Function", props.Function)
	function.AddEnvironment(jsii.String(settings.Table), props.Table.TableName(), nil)
	function.AddToRolePolicy(Allow(props.Table.TableArn(), "dynamodb:UpdateItem"))
	function.AddToRolePolicy(AllowFollowUps(props.Table.TableArn()))
	function.AddToRolePolicy(Allow(props.Table.TableStreamArn(),
		"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"))
	// ListStreams is on all streams: it has no resource level. The two on the
	// bucket are what Lambda asks of the function's role for a destination.
	function.AddToRolePolicy(Allow(jsii.String("*"), "dynamodb:ListStreams"))
	function.AddToRolePolicy(Allow(props.Bucket.BucketArn(), "s3:ListBucket"))
	function.AddToRolePolicy(Allow(props.Bucket.ArnForObjects(jsii.String(DiscardedPrefix+"*")), "s3:PutObject"))

	mapping := newStreamMapping(self, function, props)
	relayAlarms(self, function, mapping, props.Function.AlarmActions)
	return Relay{function}
}

// Publish lets the relay send jobs to a queue and letters to its dead-letter
// queue.
func (r Relay) Publish(queue JobQueue) {
	q := queue.Parts()
	r.Function.AddToRolePolicy(Allow(q.Queue.QueueArn(), "sqs:SendMessage"))
	r.Function.AddToRolePolicy(Allow(q.DeadLetterQueue.QueueArn(), "sqs:SendMessage"))
	setQueueURLs(r.Function, q.Plan.Queue.Name, q.Queue, q.DeadLetterQueue)
}

// newStreamMapping is written with the CloudFormation resource itself: the
// higher construct would grant the role read and write on the whole bucket.
// Its starting position cannot be changed later.
func newStreamMapping(scope core.Construct, function awslambda.Function, props RelayProps) awslambda.CfnEventSourceMapping {
	return awslambda.NewCfnEventSourceMapping(scope, jsii.String("Mapping"), &awslambda.CfnEventSourceMappingProps{
		EventSourceArn:                 props.Table.TableStreamArn(),
		FunctionName:                   function.FunctionName(),
		StartingPosition:               jsii.String("TRIM_HORIZON"),
		BatchSize:                      jsii.Number(relayBatch),
		MaximumBatchingWindowInSeconds: optionalNumber(int(props.Window / time.Second)),
		ParallelizationFactor:          jsii.Number(1),
		FunctionResponseTypes:          jsii.Strings("ReportBatchItemFailures"),
		BisectBatchOnFunctionError:     jsii.Bool(true),
		MaximumRetryAttempts:           jsii.Number(relayRetries),
		MaximumRecordAgeInSeconds:      jsii.Number(relayOldest.Seconds()),
		FilterCriteria: &awslambda.CfnEventSourceMapping_FilterCriteriaProperty{
			Filters: []any{&awslambda.CfnEventSourceMapping_FilterProperty{Pattern: jsii.String(PublishFilter)}},
		},
		DestinationConfig: &awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: props.Bucket.BucketArn()},
		},
		MetricsConfig: &awslambda.CfnEventSourceMapping_MetricsConfigProperty{Metrics: jsii.Strings("EventCount")},
	})
}

// relayAlarms watches for a relay that falls behind and for records that its
// mapping gave up.
func relayAlarms(scope core.Construct, function awslambda.Function, mapping awslambda.CfnEventSourceMapping, actions []awscloudwatch.IAlarmAction) {
	newAlarm(scope, "LatenessAlarm", alarm{
		says: "The relay publishes rows more than a minute after they were written.", runbook: relayLag,
		metric: iteratorAge(function),
		above:  float64(relayLateness.Milliseconds()), periods: 3, actions: actions,
	})
	newAlarm(scope, "DiscardedAlarm", alarm{
		says: "The relay's mapping gave up records: they are in the objects bucket under " + DiscardedPrefix + ".", runbook: relayDiscarded,
		metric: awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
			Namespace:     jsii.String("AWS/Lambda"),
			MetricName:    jsii.String("OnFailureDestinationDeliveredEventCount"),
			DimensionsMap: &map[string]*string{"EventSourceMappingUUID": mapping.AttrId()},
			Statistic:     jsii.String("Sum"),
			Period:        awscdk.Duration_Minutes(jsii.Number(1)),
		}),
		above: 0, periods: 1, actions: actions,
	})
}
