package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

// GaugeRows is the beginning of the partition keys of the rows by which gates see how
// long jobs wait and whether the relay goes, LimitRows of those that keep clients to
// their rates (package limit).
const (
	GaugeRows = "gauge#"
	LimitRows = "limit#"
)

// GateProps are what a function's gates look at.
type GateProps struct {
	// Table is the jobs table. Required.
	Table awsdynamodb.Table
	// Window is the relay's (RelayProps.Window), if it has one: a job may be on its way
	// for so long, and nobody is to think that the relay stands still.
	Window time.Duration
	// Queues are those that the function enqueues jobs of. Required.
	Queues []JobQueue
}

// AddGates lets a function stand before queues: it sees how full they are, and refuses
// work where one is (package admission), or from a client who sends too much. An alarm on each queue watches how much is
// refused. Call it before the function is made.
func AddGates(function *FunctionProps, props GateProps) {
	if function.Environment == nil {
		function.Environment = map[string]*string{}
	}
	function.Environment[settings.Table] = props.Table.TableName()
	if props.Window > 0 {
		function.Environment[settings.RelayWindow] = jsii.String(props.Window.String())
	}
	function.Policy = append(function.Policy,
		AllowRows(props.Table.TableArn(), GaugeRows, "dynamodb:Query", "dynamodb:UpdateItem"),
		AllowRows(props.Table.TableArn(), LimitRows, "dynamodb:UpdateItem"),
		// The oldest job that is due and was not queued: read where the sweep is behind.
		allowKeys(props.Table.TableArn(), append([]string{"sweep"}, jobKeys...), "dynamodb:GetItem"),
		Allow(IndexArn(props.Table, DueIndex), "dynamodb:Query"))
	for _, queue := range props.Queues {
		q := queue.Parts()
		function.Environment[settings.QueueURL(q.Plan.Queue.Name)] = q.Queue.QueueUrl()
		function.Policy = append(function.Policy, Allow(q.Queue.QueueArn(), "sqs:GetQueueAttributes"))
		refusalsAlarm(q)
	}
}
