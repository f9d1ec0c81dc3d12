package constructs

import (
	"strconv"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

// ScalingProps are the settings of the function that moves workers.
type ScalingProps struct {
	// Table is the jobs table. Required.
	Table awsdynamodb.Table
	// Queues are all queues of the stack; what processes poll is passed over.
	// Required.
	Queues []JobQueue
	// MostWorkers is how many workers all queues together may have: what the database
	// behind them bears. Zero means that there is no such bound.
	MostWorkers int
	// Function is scaling.Function. Timeout defaults to 50 seconds: less than the
	// minute between two runs.
	Function FunctionProps
}

// Scaling is the function that runs once a minute, carries out loans of workers, and
// moves the concurrency of queues that may have more than their plan gives them.
type Scaling struct {
	// Function moves workers.
	Function awslambda.Function
}

// NewScaling makes the function that moves workers and its schedule. It may change the
// mappings of these queues and no others.
func NewScaling(scope core.Construct, id string, props ScalingProps) Scaling {
	self := core.NewConstruct(scope, jsii.String(id))
	props.Function.Timeout = orDefault(props.Function.Timeout, 50*time.Second)
	function := NewFunction(self, "Function", props.Function)
	function.AddEnvironment(jsii.String(settings.Table), props.Table.TableName(), nil)
	if props.MostWorkers > 0 {
		function.AddEnvironment(jsii.String(settings.MostWorkers), jsii.String(strconv.Itoa(props.MostWorkers)), nil)
	}
	// What it keeps and what operators ask for are marks, beside the sweep's.
	function.AddToRolePolicy(allowKeys(props.Table.TableArn(), []string{"sweep"}, "dynamodb:PutItem", "dynamodb:Query"))
	function.AddToRolePolicy(AllowRows(props.Table.TableArn(), GaugeRows, "dynamodb:Query", "dynamodb:UpdateItem"))
	for _, queue := range props.Queues {
		if worker, ok := queue.(WorkerQueue); ok {
			moves(function, worker)
		}
	}
	// A run that failed or came late is not repeated: the next minute's does the same.
	function.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(0),
		MaxEventAge:   seconds(time.Minute),
	})
	everyMinuteInvoke(self, function, "Moves workers.")

	newAlarm(self, "StoppedAlarm", alarm{
		says: "Workers have not been moved for five minutes: what was lent is not given back.", runbook: scalingStopped,
		metric: function.MetricInvocations(everyMinute("Sum")),
		above:  1, below: true, periods: 5,
		ifMissing: awscloudwatch.TreatMissingData_BREACHING,
		actions:   props.Function.AlarmActions,
	})
	return Scaling{function}
}

// moves lets the function look at a queue and change its mapping.
func moves(function awslambda.Function, worker WorkerQueue) {
	name := worker.Plan.Queue.Name
	function.AddEnvironment(jsii.String(settings.QueueURL(name)), worker.Queue.QueueUrl(), nil)
	function.AddEnvironment(jsii.String(settings.MappingUUID(name)), worker.Mapping.Ref(), nil)
	function.AddToRolePolicy(Allow(worker.Queue.QueueArn(), "sqs:GetQueueAttributes"))
	function.AddToRolePolicy(Allow(worker.Mapping.AttrEventSourceMappingArn(), "lambda:GetEventSourceMapping", "lambda:UpdateEventSourceMapping"))
}
