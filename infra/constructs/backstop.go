package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// BackstopProps are the settings of a stack's backstop.
type BackstopProps struct {
	// Table is the jobs table.
	Table awsdynamodb.Table
	// Function heals what lands in the queue. Timeout defaults to 30 seconds.
	Function FunctionProps
	// FIFO makes the twin that serves FIFO queues.
	FIFO bool
}

// A Backstop is the queue to which SQS moves what was received too often, and
// the function that heals it: unfinished jobs are queued again, finished ones
// dropped, and only what cannot be read becomes a letter. What the function
// cannot handle either ends in a dead-letter queue of its own.
type Backstop struct {
	// Queue is the redrive target of every JobQueue.
	Queue awssqs.Queue
	// DeadLetterQueue should always be empty.
	DeadLetterQueue awssqs.Queue
	// Function is the healer.
	Function awslambda.Function

	fifo bool
}

// What a backstop takes at once. It sees few messages, and only after hours: it
// needs no more.
const (
	backstopBatch       = 10
	backstopConcurrency = 2
	backstopTimeout     = 30 * time.Second
	backstopWait        = 15 * time.Minute
)

// NewBackstop makes the backstop of a stack.
func NewBackstop(scope core.Construct, id string, props BackstopProps) Backstop {
	self := core.NewConstruct(scope, jsii.String(id))
	props.Function.Timeout = orDefault(props.Function.Timeout, backstopTimeout)
	letters := newQueue(self, "DeadLetterQueue", queueProps{fifo: props.FIFO, retention: letterRetention})
	queue := newQueue(self, "Queue", queueProps{
		fifo:       props.FIFO,
		retention:  backstopRetention,
		visibility: sizing.VisibilityFactor * props.Function.Timeout,
		redrive:    letters,
	})

	function := NewFunction(self, "Function", props.Function)
	function.AddToRolePolicy(Allow(queue.QueueArn(), consume...))
	function.AddToRolePolicy(Allow(props.Table.TableArn(), "dynamodb:GetItem", "dynamodb:UpdateItem"))
	function.AddToRolePolicy(AllowFollowUps(props.Table.TableArn()))
	// A redrive of a unique job takes its key again.
	function.AddToRolePolicy(AllowRows(props.Table.TableArn(), UniqueRows, "dynamodb:PutItem"))
	function.AddEnvironment(jsii.String(settings.Table), props.Table.TableName(), nil)
	function.AddEnvironment(jsii.String(settings.Backstop), queue.QueueUrl(), nil)
	feed(self, "Mapping", queue, function, backstopBatch, backstopConcurrency)

	actions := props.Function.AlarmActions
	ageAlarm(self, "QueueAgeAlarm", queue, "the backstop", backstopWait, actions)
	lettersAlarm(self, "DeadLettersAlarm", letters, undelivered, "The backstop could not handle a message.", actions)
	return Backstop{queue, letters, function, props.FIFO}
}

// serve lets the backstop write letters to the dead-letter queue of q.
func (b Backstop) serve(q QueueParts) {
	b.Function.AddToRolePolicy(Allow(q.DeadLetterQueue.QueueArn(), "sqs:SendMessage"))
	setQueueURLs(b.Function, q.Plan.Queue.Name, q.Queue, q.DeadLetterQueue)
}
