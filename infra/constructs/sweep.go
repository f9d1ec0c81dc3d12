package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// sweepLateness is later than the sweep should be: it runs once a minute, and looks a
// minute ahead.
const sweepLateness = 2 * time.Minute

// SweepProps are the settings of a stack's sweep.
type SweepProps struct {
	// Table is the jobs table.
	Table awsdynamodb.Table
	// Bucket is where arguments and results are that are too large for a row,
	// below ClaimsPrefix; the sweep deletes those that no row names. Nil for a
	// stack that keeps none.
	Bucket awss3.IBucket
	// Function is the sweep. Timeout defaults to 50 seconds: less than the
	// minute between two runs.
	Function FunctionProps
}

// A Sweep is the function that runs once a minute, finds what is due in the
// index and heals what was lost by a paced scan of the table.
type Sweep struct {
	// Function is the sweep.
	Function awslambda.Function
}

// NewSweep makes the sweep of a stack and its schedule.
func NewSweep(scope core.Construct, id string, props SweepProps) Sweep {
	self := core.NewConstruct(scope, jsii.String(id))
	props.Function.Timeout = orDefault(props.Function.Timeout, 50*time.Second)
	function := NewFunction(self, "Function", props.Function)
	function.AddEnvironment(jsii.String(settings.Table), props.Table.TableName(), nil)
	function.AddToRolePolicy(Allow(props.Table.TableArn(),
		"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem"))
	function.AddToRolePolicy(AllowRows(props.Table.TableArn(), UniqueRows, "dynamodb:DeleteItem"))
	function.AddToRolePolicy(Allow(IndexArn(props.Table, DueIndex), "dynamodb:Query"))
	if props.Bucket != nil {
		collectObjects(function, props.Bucket)
	}
	// A run that failed or came late is not repeated: the next minute's does
	// the same work.
	function.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(0),
		MaxEventAge:   seconds(time.Minute),
	})
	everyMinuteInvoke(self, function, "Runs the sweep.")

	newAlarm(self, "StoppedAlarm", alarm{
		says: "The sweep has not run for five minutes: nothing comes due.", runbook: sweepStopped,
		metric: function.MetricInvocations(everyMinute("Sum")),
		above:  1, below: true, periods: 5,
		ifMissing: awscloudwatch.TreatMissingData_BREACHING,
		actions:   props.Function.AlarmActions,
	})
	newAlarm(self, "LatenessAlarm", alarm{
		says: "Scheduled jobs are queued more than two minutes after their time.", runbook: sweepLag,
		metric: figure(self, telemetry.SweepLag, telemetry.Sweep, "p99"),
		above:  float64(sweepLateness.Milliseconds()), periods: 3, actions: props.Function.AlarmActions,
	})
	return Sweep{function}
}

// collectObjects lets the sweep list and delete the objects of jobs, and no others.
func collectObjects(function awslambda.Function, bucket awss3.IBucket) {
	function.AddEnvironment(jsii.String(settings.Bucket), bucket.BucketName(), nil)
	function.AddToRolePolicy(Allow(bucket.ArnForObjects(jsii.String(ClaimsPrefix+"*")), "s3:DeleteObject"))
	function.AddToRolePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:    jsii.Strings("s3:ListBucket"),
		Resources:  &[]*string{bucket.BucketArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"s3:prefix": ClaimsPrefix}},
	}))
}

// Watch lets the sweep count a queue's messages: what has waited for long in an
// empty queue is lost, in a full one it is merely slow.
func (s Sweep) Watch(queue JobQueue) {
	q := queue.Parts()
	s.Function.AddToRolePolicy(Allow(q.Queue.QueueArn(), "sqs:GetQueueAttributes"))
	setQueueURLs(s.Function, q.Plan.Queue.Name, q.Queue, q.DeadLetterQueue)
}

// everyMinuteInvoke makes the schedule and the role by which it may invoke this
// one function.
func everyMinuteInvoke(scope core.Construct, function awslambda.Function, says string) {
	role := scheduleRole(scope, function, Allow(function.FunctionArn(), "lambda:InvokeFunction"))
	awsscheduler.NewCfnSchedule(scope, jsii.String("Schedule"), &awsscheduler.CfnScheduleProps{
		Description:        jsii.String(says),
		ScheduleExpression: jsii.String("rate(1 minute)"),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")},
		State:              jsii.String("ENABLED"),
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn:     function.FunctionArn(),
			RoleArn: role.RoleArn(),
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
				MaximumEventAgeInSeconds: jsii.Number(60),
				MaximumRetryAttempts:     jsii.Number(0),
			},
		},
	})
}

// scheduleRole makes the role of schedules of a function. Its trust is limited to
// schedules of the account:
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
func scheduleRole(scope core.Construct, function awslambda.Function, statements ...awsiam.PolicyStatement) awsiam.Role {
	return awsiam.NewRole(scope, jsii.String("ScheduleRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{
				"StringEquals": map[string]any{"aws:SourceAccount": function.Stack().Account()},
			},
		}),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"Invoke": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
}
