package constructs

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Namespace is where CloudWatch has the toolkit's metrics of the stack that a construct
// is part of: those of two stacks in one account are apart.
func Namespace(scope core.Construct) string {
	return telemetry.Namespace + "/" + *awscdk.Stack_Of(scope).StackName()
}

// figure is one of the toolkit's own metrics, minute by minute.
func figure(scope core.Construct, m telemetry.Metric, of, statistic string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(Namespace(scope)), MetricName: jsii.String(m.Name),
		DimensionsMap: &map[string]*string{m.By: jsii.String(of)},
		Statistic:     jsii.String(statistic), Period: minutes(1),
	})
}

func (q QueueParts) figure(m telemetry.Metric, statistic string) awscloudwatch.Metric {
	return figure(q.scope, m, q.Plan.Queue.Name, statistic)
}

// utilisation is how busy a queue's workers are, in per cent: what their jobs took
// together, of the time that all the workers have. A run counts when it ends, so that
// long ones make it uneven.
func (q QueueParts) utilisation(period time.Duration) awscloudwatch.IMetric {
	all := time.Duration(q.Plan.Workers) * period
	return formula("utilisation, %", fmt.Sprintf("100 * busy / %d", all.Milliseconds()), period,
		map[string]awscloudwatch.IMetric{"busy": q.figure(telemetry.ServiceTime, "Sum")})
}

// formula is a metric that CloudWatch works out of others.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
func formula(label, expression string, period time.Duration, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(expression), Label: jsii.String(label), UsingMetrics: &using,
		Period: awscdk.Duration_Seconds(jsii.Number(period.Seconds())),
	})
}
