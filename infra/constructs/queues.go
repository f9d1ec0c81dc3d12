package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// How long queues keep messages. A message keeps the time at which it was first
// sent when SQS moves it, so each stop on its way has to keep it longer:
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
const (
	sourceRetention   = sizing.Retention
	backstopRetention = 10 * 24 * time.Hour
	letterRetention   = 14 * 24 * time.Hour
)

type queueProps struct {
	fifo       bool
	retention  time.Duration
	visibility time.Duration // zero: the default of SQS
	redrive    awssqs.IQueue // nil: none
	receives   int           // until redrive; zero: sizing.MaxReceives
}

// newQueue makes a queue that is encrypted, takes TLS only and is polled long.
func newQueue(scope core.Construct, id string, props queueProps) awssqs.Queue {
	settings := &awssqs.QueueProps{
		Encryption:             awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:             jsii.Bool(true),
		ReceiveMessageWaitTime: seconds(20 * time.Second),
		RetentionPeriod:        seconds(props.retention),
	}
	if props.fifo {
		settings.Fifo = jsii.Bool(true)
		settings.FifoThroughputLimit = awssqs.FifoThroughputLimit_PER_MESSAGE_GROUP_ID
		settings.DeduplicationScope = awssqs.DeduplicationScope_MESSAGE_GROUP
	}
	if props.visibility > 0 {
		settings.VisibilityTimeout = seconds(props.visibility)
	}
	if props.redrive != nil {
		settings.DeadLetterQueue = &awssqs.DeadLetterQueue{
			Queue:           props.redrive,
			MaxReceiveCount: jsii.Number(orDefault(props.receives, sizing.MaxReceives)),
		}
	}
	return awssqs.NewQueue(scope, jsii.String(id), settings)
}

// permitRedrive lets AWS's console, and StartMessageMoveTask, take letters back to
// their queue. AWS moves messages only out of queues that are the dead-letter queue
// of another one, and ours is written to by the relay: so there is a queue whose
// dead-letter queue it is. Nothing is ever sent to that queue, and it costs nothing.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
func permitRedrive(scope core.Construct, letters awssqs.IQueue, fifo bool) {
	newQueue(scope, "RedrivePermit", queueProps{fifo: fifo, retention: sourceRetention, redrive: letters})
}

// feed makes the mapping by which Lambda polls a queue and invokes a function
// that answers with the records that failed. MaximumConcurrency is the limit,
// and not reserved concurrency, which would throttle deliveries until their
// messages are moved away unread:
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
func feed(scope core.Construct, id string, queue awssqs.Queue, function awslambda.Function, batch, concurrency int) awslambda.CfnEventSourceMapping {
	return awslambda.NewCfnEventSourceMapping(scope, jsii.String(id), &awslambda.CfnEventSourceMappingProps{
		EventSourceArn:        queue.QueueArn(),
		FunctionName:          function.FunctionName(),
		BatchSize:             jsii.Number(batch),
		FunctionResponseTypes: jsii.Strings("ReportBatchItemFailures"),
		ScalingConfig: &awslambda.CfnEventSourceMapping_ScalingConfigProperty{
			MaximumConcurrency: jsii.Number(concurrency),
		},
	})
}

// consume is the right to take messages from a queue.
var consume = []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"}
