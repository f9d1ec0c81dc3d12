package constructs

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// An alarm fires when its metric is above a threshold for some periods.
type alarm struct {
	says      string
	runbook   runbook // what to do then
	metric    awscloudwatch.IMetric
	above     float64
	periods   int                            // of the metric, each a minute for most
	ifMissing awscloudwatch.TreatMissingData // default: not breaching
	below     bool                           // fire below the threshold
	actions   []awscloudwatch.IAlarmAction
}

func newAlarm(scope core.Construct, id string, a alarm) awscloudwatch.Alarm {
	comparison := awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD
	if a.below {
		comparison = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
	}
	made := awscloudwatch.NewAlarm(scope, jsii.String(id), &awscloudwatch.AlarmProps{
		AlarmDescription:   jsii.String(a.says + " " + a.runbook.link()),
		Metric:             a.metric,
		Threshold:          jsii.Number(a.above),
		ComparisonOperator: comparison,
		EvaluationPeriods:  jsii.Number(a.periods),
		TreatMissingData:   orDefault(a.ifMissing, awscloudwatch.TreatMissingData_NOT_BREACHING),
	})
	if len(a.actions) > 0 {
		made.AddAlarmAction(a.actions...)
	}
	return made
}

// functionAlarms watches for more than 1 % of errors, any throttle, and runs
// that come near the timeout.
func functionAlarms(scope core.Construct, id string, function awslambda.Function, props FunctionProps) {
	newAlarm(scope, id+"ErrorsAlarm", alarm{
		says: fmt.Sprintf("More than 1 %% of the invocations of %s fail.", props.Name), runbook: functionErrors,
		metric: awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
			Expression: jsii.String("100 * errors / invocations"),
			UsingMetrics: &map[string]awscloudwatch.IMetric{
				"errors":      function.MetricErrors(everyMinute("Sum")),
				"invocations": function.MetricInvocations(everyMinute("Sum")),
			},
			Period: minutes(1),
		}),
		above: 1, periods: 3, actions: props.AlarmActions,
	})
	newAlarm(scope, id+"ThrottlesAlarm", alarm{
		says: fmt.Sprintf("Lambda refuses invocations of %s for want of concurrency.", props.Name), runbook: functionThrottles,
		metric: function.MetricThrottles(everyMinute("Sum")),
		above:  0, periods: 3, actions: props.AlarmActions,
	})
	newAlarm(scope, id+"DurationAlarm", alarm{
		says: fmt.Sprintf("The slowest runs of %s take more than 80 %% of its timeout.", props.Name), runbook: functionDuration,
		metric: function.MetricDuration(everyMinute("p99")),
		above:  0.8 * float64(props.Timeout.Milliseconds()), periods: 3, actions: props.AlarmActions,
	})
}

// lettersAlarm watches what is visible in a dead-letter queue. The metric
// NumberOfMessagesSent would not do: what SQS moves by redrive does not count
// there. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
func lettersAlarm(scope core.Construct, id string, queue awssqs.IQueue, book runbook, says string, actions []awscloudwatch.IAlarmAction) {
	newAlarm(scope, id, alarm{
		says: says, runbook: book,
		metric: queue.MetricApproximateNumberOfMessagesVisible(everyMinute("Maximum")),
		above:  0, periods: 1, actions: actions,
	})
}

// ageAlarm watches how long the oldest message waits. CloudWatch's figure lags
// by minutes and leaves out messages received three times: enough for an alarm,
// too coarse for admission.
func ageAlarm(scope core.Construct, id string, queue awssqs.IQueue, name string, longest time.Duration, actions []awscloudwatch.IAlarmAction) {
	newAlarm(scope, id, alarm{
		says: fmt.Sprintf("The oldest message of %s has waited more than %v.", name, longest), runbook: queueAge,
		metric: queue.MetricApproximateAgeOfOldestMessage(everyMinute("Maximum")),
		above:  longest.Seconds(), periods: 3, actions: actions,
	})
}

func everyMinute(statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Statistic: jsii.String(statistic), Period: minutes(1)}
}

func minutes(n int) awscdk.Duration { return awscdk.Duration_Minutes(jsii.Number(n)) }
