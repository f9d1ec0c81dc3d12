package constructs

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// WorkerQueueProps are the settings of a queue and its workers.
type WorkerQueueProps struct {
	// Queue is the queue as the tasks declare it: how much concurrency, which
	// timeouts and which alarms there are follow from it. Required.
	Queue job.Queue
	// Tasks are what the workers run; those of other queues are passed over.
	// The slowest decides the timeouts. Required.
	Tasks []job.Defined
	// Function is the worker. Its policy is what the handlers need: the rights
	// on the queues are added to it. A Timeout of zero is the one that the plan
	// gives; a shorter one is refused.
	Function FunctionProps
	// Backstop takes what SQS moves away from the queue; it is of the same
	// kind, standard or FIFO. Required.
	Backstop Backstop
}

// A WorkerQueue is one kind of work: a queue, its worker function, and the
// dead-letter queue where people find what failed for good.
//
// SQS itself moves nothing to the dead-letter queue: the relay writes a letter
// with its reason for each dead job. What was merely received too often goes to
// the backstop, which heals it.
type WorkerQueue struct {
	QueueParts
	// Function is the worker.
	Function awslambda.Function
	// Mapping hands the queue's messages to it. NewScaling changes how many of its
	// invocations there may be at once.
	Mapping awslambda.CfnEventSourceMapping
}

// NewWorkerQueue makes a queue with its workers, mapping and alarms, and tells
// the backstop of it.
func NewWorkerQueue(scope core.Construct, id string, props WorkerQueueProps) WorkerQueue {
	self := core.NewConstruct(scope, jsii.String(id))
	plan := plannedForFunction(*self.Node().Path(), props)
	name := plan.Queue.Name
	props.Function.Timeout = orDefault(props.Function.Timeout, plan.FunctionTimeout)
	if props.Function.Timeout < plan.FunctionTimeout {
		refuse(*self.Node().Path(), "the function's timeout is %v; batches of %d, %d at a time, need %v",
			props.Function.Timeout, plan.Queue.BatchSize(), plan.Queue.SideBySide(), plan.FunctionTimeout)
	}

	parts := newParts(self, partsProps{
		plan:       plan,
		visibility: max(plan.Visibility, sizing.VisibilityFactor*props.Function.Timeout),
		backstop:   props.Backstop,
		actions:    props.Function.AlarmActions,
	})
	function := NewFunction(self, "Function", props.Function)
	for _, right := range parts.workersRights() {
		function.AddToRolePolicy(right)
	}
	setQueueURLs(function, name, parts.Queue, parts.DeadLetterQueue)
	mapping := feed(self, "Mapping", parts.Queue, function, plan.Queue.BatchSize(), plan.MaximumConcurrency)
	return WorkerQueue{parts, function, mapping}
}

// plannedForFunction sizes the queue for the slowest of its tasks.
func plannedForFunction(path string, props WorkerQueueProps) sizing.Plan {
	plan := planned(path, props.Queue, props.Tasks, props.Backstop)
	if plan.Queue.Polled {
		refuse(path, "processes poll the queue %q (Polled), and its tasks may take longer than a function: it gets no function and no mapping (see NewPolledQueue)", plan.Queue.Name)
	}
	return plan
}

func setQueueURLs(function awslambda.Function, name string, queue, letters awssqs.IQueue) {
	function.AddEnvironment(jsii.String(settings.QueueURL(name)), queue.QueueUrl(), nil)
	function.AddEnvironment(jsii.String(settings.LettersURL(name)), letters.QueueUrl(), nil)
}
