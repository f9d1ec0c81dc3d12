package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Of a queue of messages that are no jobs.
const (
	messageBatch       = 10
	messageReceives    = 10
	messageConcurrency = sizing.LeastConcurrency
)

// MessageQueueProps are the settings of a queue of messages that are no jobs.
type MessageQueueProps struct {
	// Function answers an SQS event with the messages that failed
	// (events.SQSEventResponse). Timeout defaults to ten seconds.
	Function FunctionProps
}

// A MessageQueue brings what somebody else tells to a function: SES of mails that
// bounced, another account of its orders. These are messages and no jobs: there is
// no row, nothing to ask for, and whoever takes one twice has to see to it. One that
// failed ten times goes to the dead-letter queue as it is.
type MessageQueue struct {
	// Queue takes the messages.
	Queue awssqs.Queue
	// DeadLetterQueue should always be empty.
	DeadLetterQueue awssqs.Queue
	// Function takes them off.
	Function awslambda.Function

	scope core.Construct
}

// NewMessageQueue makes a queue with its function, mapping and alarms.
func NewMessageQueue(scope core.Construct, id string, props MessageQueueProps) MessageQueue {
	self := core.NewConstruct(scope, jsii.String(id))
	props.Function.Timeout = orDefault(props.Function.Timeout, 10*time.Second)
	letters := newQueue(self, "DeadLetterQueue", queueProps{retention: letterRetention})
	queue := newQueue(self, "Queue", queueProps{
		retention: sourceRetention, visibility: sizing.VisibilityFactor * props.Function.Timeout, redrive: letters, receives: messageReceives,
	})
	lettersAlarm(self, "DeadLettersAlarm", letters, undelivered, "Messages for "+props.Function.Name+" failed ten times.", props.Function.AlarmActions)
	function := NewFunction(self, "Function", props.Function)
	function.AddToRolePolicy(Allow(queue.QueueArn(), consume...))
	feed(self, "Mapping", queue, function, messageBatch, messageConcurrency)
	return MessageQueue{queue, letters, function, self}
}

// SubscribeTo brings to the queue what a topic is told (raw), and lets this topic
// send to it. What SNS can't deliver goes to the dead-letter queue.
func (q MessageQueue) SubscribeTo(topic awssns.Topic) {
	permission := letSend(q.Queue, topic)
	letSend(q.DeadLetterQueue, topic)
	subscription := awssns.NewCfnSubscription(q.scope, jsii.String("Subscription"), &awssns.CfnSubscriptionProps{
		TopicArn:           topic.TopicArn(),
		Protocol:           jsii.String("sqs"),
		Endpoint:           q.Queue.QueueArn(),
		RawMessageDelivery: jsii.Bool(true),
		RedrivePolicy:      map[string]any{"deadLetterTargetArn": q.DeadLetterQueue.QueueArn()},
	})
	subscription.Node().AddDependency(permission)
}
