package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// DefaultVisibility is how long a message of a polled queue is hidden at a time.
const DefaultVisibility = 30 * time.Second

// PolledQueueProps are the settings of a queue that processes poll.
type PolledQueueProps struct {
	// Queue is the queue as the tasks declare it, with Polled. Required.
	Queue job.Queue
	// Tasks are what the processes run; those of other queues are passed over.
	// Required.
	Tasks []job.Defined
	// Visibility is how long a message is hidden before it comes again unless
	// its process says so once more: what the death of a process costs in time,
	// however long the job takes. In whole seconds; zero means
	// DefaultVisibility. worker.Poll's heartbeat extends it.
	Visibility time.Duration
	// Backstop takes what SQS moves away from the queue; it is of the same
	// kind, standard or FIFO. Required.
	Backstop Backstop
	// AlarmActions are run by each alarm of the queue.
	AlarmActions []awscloudwatch.IAlarmAction
}

// A PolledQueue is a queue whose workers are processes of their own that run
// worker.Poll: a Service, or whatever runs elsewhere. It has what a WorkerQueue
// has, less the function and its mapping.
type PolledQueue struct {
	QueueParts
	// Visibility is that of the props, with its default.
	Visibility time.Duration
}

// NewPolledQueue makes a queue that processes poll, with its alarms, and tells the
// backstop of it.
func NewPolledQueue(scope core.Construct, id string, props PolledQueueProps) PolledQueue {
	self := core.NewConstruct(scope, jsii.String(id))
	path := *self.Node().Path()
	plan := planned(path, props.Queue, props.Tasks, props.Backstop)
	if !plan.Queue.Polled {
		refuse(path, "a function polls the queue %q: declare it Polled, or see NewWorkerQueue", plan.Queue.Name)
	}
	visibility := orDefault(props.Visibility, DefaultVisibility)
	if hold := worker.HoldFor(visibility); hold < worker.LeastHold || hold > worker.MostHold || visibility%time.Second != 0 {
		refuse(path, "the visibility timeout is %v, which leaves a job to its process for %v: whole seconds, and between %v and %v for the job",
			visibility, hold, worker.LeastHold, worker.MostHold)
	}
	parts := newParts(self, partsProps{
		plan: plan, visibility: visibility, backstop: props.Backstop, actions: props.AlarmActions,
	})
	return PolledQueue{parts, visibility}
}
