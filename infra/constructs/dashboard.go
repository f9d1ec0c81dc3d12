package constructs

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Panels stand side by side on 24 columns.
const (
	columns     = 24
	panelHeight = 6
)

// DashboardProps are what a dashboard shows.
type DashboardProps struct {
	// Queues have a row each, in this order. Required.
	Queues []JobQueue
	// Relay is the stack's. Required.
	Relay Relay
	// Sweep is the stack's. Required.
	Sweep Sweep
	// Schedules and Api are left out where they are nil.
	Schedules *PeriodicJobs
	Api       *Api
}

// A row of panels, under a heading.
type row struct {
	heading string
	panels  []panel
}

// A panel is one graph, across which lines are drawn; or, where it has a query, what
// that finds in logs, which costs by what it reads each time that somebody looks.
type panel struct {
	title       string
	left, right []awscloudwatch.IMetric
	lines       []line
	logs        awslogs.ILogGroup
	query       []string
}

type line struct {
	at    float64
	label string
}

// NewDashboard makes one dashboard of the whole stack: the API, relay, sweep and
// schedules first, then a row for each queue with its limits drawn in, as they follow
// from its declaration. Call it when the queues are complete.
func NewDashboard(scope core.Construct, id string, props DashboardProps) awscloudwatch.Dashboard {
	dashboard := awscloudwatch.NewDashboard(scope, jsii.String(id), nil)
	for _, r := range stackRows(scope, props) {
		r.addTo(dashboard)
	}
	for _, queue := range props.Queues {
		queueRow(queue.Parts()).addTo(dashboard)
	}
	return dashboard
}

// queueRow is all that there is to see of a queue.
func queueRow(q QueueParts) row {
	plan, minute := q.Plan, everyMinute
	limit, mark := line{float64(plan.Limit), "limit"}, line{float64(plan.Mark), "opens again"}
	return row{
		fmt.Sprintf("%s: %d workers finish %.4g a second; at most %d wait, for %v", plan.Queue.Name, plan.Workers, float64(plan.DrainRate), plan.Limit, plan.Queue.LongestWait),
		[]panel{
			{title: "Age, s", left: []awscloudwatch.IMetric{q.figure(telemetry.Age, "Maximum"), q.Queue.MetricApproximateAgeOfOldestMessage(minute("Maximum"))},
				lines: []line{{plan.AgeAlarm.Seconds(), "too old"}}},
			{title: "Depth", left: []awscloudwatch.IMetric{
				q.figure(telemetry.Depth, "Maximum"), q.Queue.MetricApproximateNumberOfMessagesVisible(minute("Maximum")), q.figure(telemetry.SpillDepth, "Maximum"),
			}, lines: []line{limit, mark}},
			{title: "In flight", left: []awscloudwatch.IMetric{q.Queue.MetricApproximateNumberOfMessagesNotVisible(minute("Maximum"))},
				lines: []line{{float64(plan.Workers), "workers"}}},
			{title: "Jobs a minute", left: q.figures("Sum", telemetry.Accepted, telemetry.Done, telemetry.Retried, telemetry.Refused, telemetry.Degraded, telemetry.Spilled, telemetry.Released)},
			{title: "Utilisation, %", left: []awscloudwatch.IMetric{q.utilisation(busyPeriod)}, right: q.figures("p50", telemetry.ServiceTime, telemetry.QueueWait),
				lines: []line{{100 * plan.Queue.TargetUtilisation(), "target"}, {100 * plan.UtilisationAlarm, "too busy"}}},
			{title: "Letters", left: []awscloudwatch.IMetric{q.DeadLetterQueue.MetricApproximateNumberOfMessagesVisible(minute("Maximum"))}, right: q.figures("Sum", telemetry.Dead)},
		},
	}
}

func (q QueueParts) figures(statistic string, metrics ...telemetry.Metric) []awscloudwatch.IMetric {
	all := make([]awscloudwatch.IMetric, len(metrics))
	for i, m := range metrics {
		all[i] = q.figure(m, statistic)
	}
	return all
}

// addTo lays a row out over the whole width.
func (r row) addTo(dashboard awscloudwatch.Dashboard) {
	dashboard.AddWidgets(awscloudwatch.NewTextWidget(&awscloudwatch.TextWidgetProps{
		Markdown: jsii.String("**" + r.heading + "**"), Width: jsii.Number(columns), Height: jsii.Number(1),
		Background: awscloudwatch.TextWidgetBackground_TRANSPARENT,
	}))
	widgets := make([]awscloudwatch.IWidget, len(r.panels))
	for i, p := range r.panels {
		widgets[i] = p.widget(columns / len(r.panels))
	}
	dashboard.AddWidgets(widgets...)
}

func (p panel) widget(width int) awscloudwatch.IWidget {
	if p.query != nil {
		return awscloudwatch.NewLogQueryWidget(&awscloudwatch.LogQueryWidgetProps{
			Title: jsii.String(p.title), Width: jsii.Number(width), Height: jsii.Number(panelHeight),
			LogGroupNames: &[]*string{p.logs.LogGroupName()}, QueryLines: jsii.Strings(p.query...), View: awscloudwatch.LogQueryVisualizationType_LINE,
		})
	}
	props := &awscloudwatch.GraphWidgetProps{
		Title: jsii.String(p.title), Width: jsii.Number(width), Height: jsii.Number(panelHeight),
		Left: &p.left, LeftYAxis: &awscloudwatch.YAxisProps{Min: jsii.Number(0), ShowUnits: jsii.Bool(false)},
	}
	if len(p.right) > 0 {
		props.Right, props.RightYAxis = &p.right, &awscloudwatch.YAxisProps{Min: jsii.Number(0)}
	}
	if len(p.lines) > 0 {
		drawn := make([]*awscloudwatch.HorizontalAnnotation, len(p.lines))
		for i, l := range p.lines {
			drawn[i] = &awscloudwatch.HorizontalAnnotation{Value: jsii.Number(l.at), Label: jsii.String(l.label)}
		}
		props.LeftAnnotations = &drawn
	}
	return awscloudwatch.NewGraphWidget(props)
}
