package constructs

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// maxEvents is how many events a subscription can name: SNS takes no filter policy of
// more combinations of values.
// https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
const maxEvents = 150

// TopicProps are the settings of a topic.
type TopicProps struct {
	// Name is the topic's name in settings: lower case letters, digits and dashes.
	// Required.
	Name string
	// FIFO keeps the events of one key in order. Cannot be changed later.
	FIFO bool
	// AlarmActions are run by each alarm of the topic.
	AlarmActions []awscloudwatch.IAlarmAction
}

// A Topic carries events from the relay to the queue of each subscriber.
type Topic struct {
	// Name is that of the props.
	Name string
	// Topic is what the relay publishes to. It is encrypted, and takes TLS and its
	// own account only.
	Topic awssns.Topic
	// DeadLetterQueue holds the events that SNS could not bring to a subscriber's
	// queue, as the queue would have got them. It is FIFO where the topic is.
	DeadLetterQueue awssqs.Queue

	scope core.Construct
	fifo  bool
}

// NewTopic makes a topic with its dead-letter queue and alarms.
func NewTopic(scope core.Construct, id string, props TopicProps) Topic {
	self := core.NewConstruct(scope, jsii.String(id))
	if props.Name == "" {
		refuse(*self.Node().Path(), "the topic needs a Name")
	}
	made := &awssns.TopicProps{
		EnforceSSL: jsii.Bool(true),
		// The key that AWS manages for SNS: whoever may publish may use it.
		MasterKey: awskms.Alias_FromAliasName(self, jsii.String("Key"), jsii.String("alias/aws/sns")),
	}
	if props.FIFO {
		made.Fifo = jsii.Bool(true)
		made.FifoThroughputScope = awssns.FifoThroughputScope_MESSAGE_GROUP
	}
	sns := awssns.NewTopic(self, jsii.String("Topic"), made)
	letters := newQueue(self, "DeadLetterQueue", queueProps{fifo: props.FIFO, retention: letterRetention})
	letSend(letters, sns)
	newAlarm(self, "FailedAlarm", alarm{
		says: "SNS could not bring events of " + props.Name + " to a queue: its policy, or the queue itself, is missing.", runbook: undelivered,
		metric: sns.MetricNumberOfNotificationsFailed(everyMinute("Sum")),
		above:  0, periods: 1, actions: props.AlarmActions,
	})
	lettersAlarm(self, "DeadLettersAlarm", letters, undelivered, "Events of "+props.Name+" did not reach a subscriber's queue.", props.AlarmActions)
	return Topic{props.Name, sns, letters, self, props.FIFO}
}

// Subscribe brings the named events to a queue as they are published (raw), and lets
// this topic, and no other, send to it. A FIFO queue can subscribe to a FIFO topic
// only.
func (t Topic) Subscribe(subscriber JobQueue, events ...string) {
	queue := subscriber.Parts()
	name := queue.Plan.Queue.Name
	if queue.Plan.Queue.FIFO && !t.fifo {
		refuse(*t.scope.Node().Path(), "the queue %q is FIFO and the topic is not: SNS refuses that", name)
	}
	if len(events) == 0 || len(events) > maxEvents {
		refuse(*t.scope.Node().Path(), "the queue %q subscribes to %d events: name 1 to %d", name, len(events), maxEvents)
	}
	permission := letSend(queue.Queue, t.Topic)
	subscription := awssns.NewCfnSubscription(t.scope, jsii.String(ID(name)+"Subscription"), &awssns.CfnSubscriptionProps{
		TopicArn:           t.Topic.TopicArn(),
		Protocol:           jsii.String("sqs"),
		Endpoint:           queue.Queue.QueueArn(),
		RawMessageDelivery: jsii.Bool(true),
		FilterPolicyScope:  jsii.String("MessageAttributes"),
		FilterPolicy:       map[string]any{topic.NameAttribute: events},
		RedrivePolicy:      map[string]any{"deadLetterTargetArn": t.DeadLetterQueue.QueueArn()},
	})
	subscription.Node().AddDependency(permission)
	// Only the queue's worker knows which job an event stands for: what SQS moves
	// away, the backstop sends back.
	queue.backstop.Function.AddToRolePolicy(Allow(queue.Queue.QueueArn(), "sqs:SendMessage"))
}

// letSend lets exactly this topic send to a queue.
// https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
func letSend(queue awssqs.Queue, from awssns.Topic) core.IDependable {
	return queue.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:    jsii.Strings("sqs:SendMessage"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("sns.amazonaws.com"), nil)},
		Resources:  &[]*string{queue.QueueArn()},
		Conditions: &map[string]any{"ArnEquals": map[string]any{"aws:SourceArn": from.TopicArn()}},
	})).PolicyDependable
}

// PublishEvents lets the relay publish events to a topic.
func (r Relay) PublishEvents(t Topic) {
	r.Function.AddToRolePolicy(Allow(t.Topic.TopicArn(), "sns:Publish"))
	r.Function.AddEnvironment(jsii.String(settings.TopicARN(t.Name)), t.Topic.TopicArn(), nil)
}
