package constructs

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// figure is one of the toolkit's own metrics, minute by minute.
func figure(m telemetry.Metric, of, statistic string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(telemetry.Namespace), MetricName: jsii.String(m.Name),
		DimensionsMap: &map[string]*string{m.By: jsii.String(of)},
		Statistic:     jsii.String(statistic), Period: minutes(1),
	})
}

func (q QueueParts) figure(m telemetry.Metric, statistic string) awscloudwatch.Metric {
	return figure(m, q.Plan.Queue.Name, statistic)
}

// utilisation is how busy a queue's workers are, in per cent: what their jobs took
// together, of the time that all the workers have. A run counts when it ends, so that
// long ones make it uneven.
func (q QueueParts) utilisation(period time.Duration) awscloudwatch.IMetric {
	all := time.Duration(q.Plan.Workers) * period
	return formula("utilisation, %", fmt.Sprintf("100 * busy / %d", all.Milliseconds()), period,
		map[string]awscloudwatch.IMetric{"busy": q.figure(telemetry.ServiceTime, "Sum")})
}

// refused is how many of a hundred requests for a queue were refused.
func (q QueueParts) refused() awscloudwatch.IMetric {
	return formula("refused, %", "100 * FILL(refused, 0) / (FILL(refused, 0) + FILL(accepted, 0))", time.Minute,
		map[string]awscloudwatch.IMetric{
			"refused": q.figure(telemetry.Refused, "Sum"), "accepted": q.figure(telemetry.Accepted, "Sum"),
		})
}

// formula is a metric that CloudWatch works out of others.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
func formula(label, expression string, period time.Duration, using map[string]awscloudwatch.IMetric) awscloudwatch.IMetric {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(expression), Label: jsii.String(label), UsingMetrics: &using,
		Period: awscdk.Duration_Seconds(jsii.Number(period.Seconds())),
	})
}
