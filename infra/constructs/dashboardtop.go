package constructs

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// stackRows are those of what all queues share.
func stackRows(scope core.Construct, props DashboardProps) []row {
	var rows []row
	if props.Api != nil {
		rows = append(rows, apiRow(*props.Api))
	}
	shared := row{"Relay, sweep and schedules: whatever waits here, all queues wait for", []panel{
		{title: "Relay lag, ms", left: []awscloudwatch.IMetric{
			figure(scope, telemetry.RelayLag, telemetry.Relay, "p99"), iteratorAge(props.Relay.Function),
		}, lines: []line{{float64(relayLateness.Milliseconds()), "late"}}},
		{title: "Published a minute", left: []awscloudwatch.IMetric{
			figure(scope, telemetry.Published, telemetry.Relay, "Sum"), figure(scope, telemetry.SetAside, telemetry.Relay, "Sum"),
		}},
		{title: "Sweep lag, ms", left: []awscloudwatch.IMetric{figure(scope, telemetry.SweepLag, telemetry.Sweep, "p99")},
			lines: []line{{float64(sweepLateness.Milliseconds()), "late"}}, right: runs(props.Sweep.Function)},
	}}
	if props.Schedules != nil {
		shared.panels = append(shared.panels, panel{title: "Schedules: runs and missed occurrences",
			left: append(runs(props.Schedules.Function), figure(scope, telemetry.OccurrenceMissed, telemetry.Schedules, "Sum"))})
	}
	return append(rows, shared)
}

func iteratorAge(function awslambda.Function) awscloudwatch.IMetric {
	return function.Metric(jsii.String("IteratorAge"), everyMinute("Maximum"))
}

func runs(function awslambda.Function) []awscloudwatch.IMetric {
	return []awscloudwatch.IMetric{function.MetricInvocations(everyMinute("Sum")), function.MetricErrors(everyMinute("Sum"))}
}

func apiRow(api Api) row {
	return row{"API", []panel{
		{title: "Requests a minute", left: []awscloudwatch.IMetric{api.Stage.MetricCount(everyMinute("Sum"))}},
		{title: "Errors a minute: 5xx hold the refusals of full queues", left: []awscloudwatch.IMetric{
			api.Stage.MetricServerError(everyMinute("Sum")), api.Stage.MetricClientError(everyMinute("Sum")),
		}},
		{title: "Latency, ms", left: []awscloudwatch.IMetric{
			api.Stage.MetricLatency(everyMinute("p50")), api.Stage.MetricLatency(everyMinute("p99")),
		}, lines: []line{{float64(slowRequest.Milliseconds()), "slow"}}},
		{title: "Refused: 503 by full queues, 429 by clients' own rates", logs: api.accessLogs,
			query: []string{"filter status in [429, 503]", "stats count(*) by bin(1m), status"}},
	}}
}
