package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A JobQueue is a queue of jobs, whoever works on it: a WorkerQueue or a
// PolledQueue. The relay, the sweep and topics take either.
type JobQueue interface {
	// Parts are what the queue consists of.
	Parts() QueueParts
}

// QueueParts are what every JobQueue consists of.
type QueueParts struct {
	// Plan is what the queue's declaration came to.
	Plan sizing.Plan
	// Queue is what the relay sends jobs to.
	Queue awssqs.Queue
	// DeadLetterQueue holds one letter for each job that failed for good.
	DeadLetterQueue awssqs.Queue

	backstop Backstop
	scope    core.Construct
	actions  []awscloudwatch.IAlarmAction
}

// Parts are the queue itself: see JobQueue.
func (q QueueParts) Parts() QueueParts { return q }

// workersRights are what a queue's workers may do with it.
func (q QueueParts) workersRights() []awsiam.PolicyStatement {
	return []awsiam.PolicyStatement{
		Allow(q.Queue.QueueArn(), consume...),
		Allow(q.DeadLetterQueue.QueueArn(), "sqs:SendMessage"),
	}
}

type partsProps struct {
	plan       sizing.Plan
	visibility time.Duration
	backstop   Backstop
	actions    []awscloudwatch.IAlarmAction
}

// newParts makes a queue with its dead-letter queue and alarms, and tells the
// backstop of it.
func newParts(scope core.Construct, props partsProps) QueueParts {
	q := props.plan.Queue
	letters := newQueue(scope, "DeadLetterQueue", queueProps{fifo: q.FIFO, retention: letterRetention})
	permitRedrive(scope, letters, q.FIFO)
	queue := newQueue(scope, "Queue", queueProps{
		fifo: q.FIFO, retention: sourceRetention, visibility: props.visibility, redrive: props.backstop.Queue,
	})
	ageAlarm(scope, "QueueAgeAlarm", queue, q.Name, props.plan.AgeAlarm, props.actions)
	lettersAlarm(scope, "DeadLettersAlarm", letters, deadLetters, "A job of "+q.Name+" failed for good: its letter says why.", props.actions)
	made := QueueParts{props.plan, queue, letters, props.backstop, scope, props.actions}
	utilisationAlarm(made)
	spillAlarm(made)
	props.backstop.serve(made)
	return made
}

// planned sizes a queue for the slowest of its tasks.
func planned(path string, q job.Queue, tasks []job.Defined, backstop Backstop) sizing.Plan {
	plans, err := sizing.ForTasks(tasks...)
	if err != nil {
		refuse(path, "%v", err)
	}
	plan, known := plans[q.Name]
	if !known {
		refuse(path, "none of Tasks has the queue %q", q.Name)
	}
	if backstop.Queue == nil || backstop.fifo != q.FIFO {
		refuse(path, "it needs a Backstop of the same kind: FIFO %v", q.FIFO)
	}
	return plan
}
