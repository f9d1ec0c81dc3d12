package constructs

import (
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// Gate lets a function stand before a queue: it knows where the queue is and how deep,
// and refuses work when it is full (package admission). An alarm watches how much is
// refused. Call it before the function is made.
func Gate(function *FunctionProps, queue JobQueue) {
	q := queue.Parts()
	if function.Environment == nil {
		function.Environment = map[string]*string{}
	}
	function.Environment[settings.QueueURL(q.Plan.Queue.Name)] = q.Queue.QueueUrl()
	function.Policy = append(function.Policy, Allow(q.Queue.QueueArn(), "sqs:GetQueueAttributes"))
	refusalsAlarm(q)
}
