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
	// Plan is what the queue's declaration came to.
	Plan sizing.Plan
	// Queue is what the relay sends jobs to.
	Queue awssqs.Queue
	// DeadLetterQueue holds one letter for each job that failed for good.
	DeadLetterQueue awssqs.Queue
	// Function is the worker.
	Function awslambda.Function

	backstop Backstop
}

// NewWorkerQueue makes a queue with its workers, mapping and alarms, and tells
// the backstop of it.
func NewWorkerQueue(scope core.Construct, id string, props WorkerQueueProps) WorkerQueue {
	self := core.NewConstruct(scope, jsii.String(id))
	plan := planned(*self.Node().Path(), props)
	name := plan.Queue.Name
	props.Function.Timeout = orDefault(props.Function.Timeout, plan.FunctionTimeout)
	if props.Function.Timeout < plan.FunctionTimeout {
		refuse(*self.Node().Path(), "the function's timeout is %v; batches of %d, %d at a time, need %v",
			props.Function.Timeout, plan.Queue.BatchSize(), plan.Queue.SideBySide(), plan.FunctionTimeout)
	}

	letters := newQueue(self, "DeadLetterQueue", queueProps{fifo: plan.Queue.FIFO, retention: letterRetention})
	permitRedrive(self, letters, plan.Queue.FIFO)
	queue := newQueue(self, "Queue", queueProps{
		fifo:       plan.Queue.FIFO,
		retention:  sourceRetention,
		visibility: max(plan.Visibility, sizing.VisibilityFactor*props.Function.Timeout),
		redrive:    props.Backstop.Queue,
	})

	function := NewFunction(self, "Function", props.Function)
	function.AddToRolePolicy(Allow(queue.QueueArn(), consume...))
	function.AddToRolePolicy(Allow(letters.QueueArn(), "sqs:SendMessage"))
	setQueueURLs(function, name, queue, letters)
	feed(self, "Mapping", queue, function, plan.Queue.BatchSize(), plan.MaximumConcurrency)

	actions := props.Function.AlarmActions
	ageAlarm(self, "QueueAgeAlarm", queue, plan.Queue.LongestWait, actions)
	lettersAlarm(self, "DeadLettersAlarm", letters, "A job of "+name+" failed for good: its letter says why.", actions)
	made := WorkerQueue{plan, queue, letters, function, props.Backstop}
	props.Backstop.serve(made)
	return made
}

// planned sizes the queue for the slowest of its tasks.
func planned(path string, props WorkerQueueProps) sizing.Plan {
	plans, err := sizing.ForTasks(props.Tasks...)
	if err != nil {
		refuse(path, "%v", err)
	}
	plan, known := plans[props.Queue.Name]
	if !known {
		refuse(path, "none of Tasks has the queue %q", props.Queue.Name)
	}
	if plan.Queue.Polled {
		refuse(path, "processes poll the queue %q (Polled), and its tasks may take longer than a function: it gets no function and no mapping", plan.Queue.Name)
	}
	if props.Backstop.Queue == nil || props.Backstop.fifo != props.Queue.FIFO {
		refuse(path, "it needs a Backstop of the same kind: FIFO %v", props.Queue.FIFO)
	}
	return plan
}

func setQueueURLs(function awslambda.Function, name string, queue, letters awssqs.IQueue) {
	function.AddEnvironment(jsii.String(settings.QueueURL(name)), queue.QueueUrl(), nil)
	function.AddEnvironment(jsii.String(settings.LettersURL(name)), letters.QueueUrl(), nil)
}
