package constructs

import (
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// How long EventBridge Scheduler tries to reach the function of periodic jobs. After
// an hour the check has long caught up what can be caught up.
const (
	DefaultEventAge = time.Hour
	shortestAge     = time.Minute
	longestAge      = 24 * time.Hour
	mostRetries     = 185
)

// CheckExpression is when missed occurrences are looked for, and what operators ask for
// (nightshift schedules run).
const CheckExpression = "rate(1 minute)"

// PeriodicJobsProps are the settings of a function that enqueues periodic jobs.
type PeriodicJobsProps struct {
	// Table is the jobs table.
	Table awsdynamodb.Table
	// Function passes its events to periodic.Periodic's Handle. Timeout defaults to
	// a minute.
	Function FunctionProps
	// Jobs are those that the function's Periodic was made with: one list, declared
	// beside the tasks, serves both.
	Jobs []periodic.Job
}

// PeriodicJobs is the function that enqueues jobs at their times, with a schedule
// for each of them, one more that looks for missed occurrences, and the queue for
// events that could not be delivered.
type PeriodicJobs struct {
	// Function enqueues the jobs.
	Function awslambda.Function
	// DeadLetterQueue should always be empty: what is in it did not reach the
	// function.
	DeadLetterQueue awssqs.Queue
}

// NewPeriodicJobs makes the function of periodic jobs with their schedules. An
// expression or a time zone that pkg/schedule refuses is a Mistake with its words.
func NewPeriodicJobs(scope core.Construct, id string, props PeriodicJobsProps) PeriodicJobs {
	self := core.NewConstruct(scope, jsii.String(id))
	if len(props.Jobs) == 0 {
		refuse(*self.Node().Path(), "it has no Jobs: list the periodic jobs that its function enqueues")
	}
	props.Function.Timeout = orDefault(props.Function.Timeout, time.Minute)
	function := NewFunction(self, "Function", props.Function)
	function.AddEnvironment(jsii.String(settings.Table), props.Table.TableName(), nil)
	function.AddToRolePolicy(Allow(props.Table.TableArn(), "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"))
	letters := newQueue(self, "DeadLetterQueue", queueProps{retention: letterRetention})
	lettersAlarm(self, "DeadLettersAlarm", letters, undelivered, "A schedule's event did not reach its function.", props.Function.AlarmActions)

	made := PeriodicJobs{Function: function, DeadLetterQueue: letters}
	for _, j := range props.Jobs {
		NewPeriodicJob(self, constructID(j.Name), PeriodicJobProps{Job: j, Function: function, DeadLetterQueue: letters})
	}
	check := core.NewConstruct(self, jsii.String("Check"))
	newSchedule(check, scheduleProps{
		says: "Looks for missed occurrences of periodic jobs.", expression: CheckExpression, input: periodic.CheckInput,
		function: function, age: shortestAge, // the next check does the same work
	})
	periodicAlarms(self, function, props.Function.AlarmActions)
	return made
}

// periodicAlarms watches for a function that is not invoked, though its check comes
// round each minute, and for occurrences that the check found missing.
func periodicAlarms(scope core.Construct, function awslambda.Function, actions []awscloudwatch.IAlarmAction) {
	newAlarm(scope, "StoppedAlarm", alarm{
		says: "Periodic jobs have not been looked at for five minutes: none is enqueued.", runbook: schedulesStopped,
		metric: function.MetricInvocations(everyMinute("Sum")),
		above:  1, below: true, periods: 5,
		ifMissing: awscloudwatch.TreatMissingData_BREACHING,
		actions:   actions,
	})
	newAlarm(scope, "MissedAlarm", alarm{
		says: "An occurrence of a periodic job was missed: it came late, or was given up.", runbook: scheduleMissed,
		metric: figure(scope, telemetry.OccurrenceMissed, telemetry.Schedules, "Sum"),
		above:  0, periods: 1, actions: actions,
	})
}

// PeriodicJobProps are the settings of a periodic job's schedule.
type PeriodicJobProps struct {
	// Job is the periodic job, as its function knows it.
	Job periodic.Job
	// Function passes its events to periodic.Periodic's Handle.
	Function awslambda.Function
	// DeadLetterQueue takes events that could not be delivered; nil drops them.
	DeadLetterQueue awssqs.IQueue
	// Retries is how often Scheduler tries again to reach the function, at most
	// 185, which is the default. The function's own failures are Lambda's to
	// retry, twice.
	Retries *int
	// EventAge is how long it tries; default DefaultEventAge, from a minute to a
	// day.
	EventAge time.Duration
	// Disabled makes a schedule that does not fire. To stop a job for a while,
	// pause it (periodic.Periodic's Pause): then it misses nothing.
	Disabled bool
}

// NewPeriodicJob makes the schedule of one periodic job, with its role, for a
// function of one's own; NewPeriodicJobs makes everything. A job that can't be is
// a Mistake: an expression that pkg/schedule refuses comes with its words.
func NewPeriodicJob(scope core.Construct, id string, props PeriodicJobProps) awsscheduler.CfnSchedule {
	self := core.NewConstruct(scope, jsii.String(id))
	path := *self.Node().Path()
	if err := props.Job.Validate(); err != nil {
		refuse(path, "%v", err)
	}
	age := orDefault(props.EventAge, DefaultEventAge)
	if age < shortestAge || age > longestAge || age%time.Second != 0 {
		refuse(path, "EventAge is %v: Scheduler takes whole seconds from %v to %v", age, shortestAge, longestAge)
	}
	retries := mostRetries
	if props.Retries != nil {
		retries = *props.Retries
	}
	if retries < 0 || retries > mostRetries {
		refuse(path, "Retries is %d: Scheduler takes 0 to %d", retries, mostRetries)
	}
	return newSchedule(self, scheduleProps{
		says: "Enqueues the periodic job " + props.Job.Name + ".", expression: props.Job.Expression, zone: props.Job.Zone, input: props.Job.Input(),
		function: props.Function, letters: props.DeadLetterQueue, retries: retries, age: age, disabled: props.Disabled,
	})
}

type scheduleProps struct {
	says, expression, zone, input string
	function                      awslambda.Function
	letters                       awssqs.IQueue // nil: none
	retries                       int
	age                           time.Duration
	disabled                      bool
}

// newSchedule makes a schedule of a function and the role by which it may invoke
// that one function.
func newSchedule(scope core.Construct, props scheduleProps) awsscheduler.CfnSchedule {
	may := []awsiam.PolicyStatement{Allow(props.function.FunctionArn(), "lambda:InvokeFunction")}
	target := &awsscheduler.CfnSchedule_TargetProperty{
		Arn:   props.function.FunctionArn(),
		Input: jsii.String(props.input),
		RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
			MaximumEventAgeInSeconds: jsii.Number(props.age.Seconds()),
			MaximumRetryAttempts:     jsii.Number(props.retries),
		},
	}
	if props.letters != nil {
		may = append(may, Allow(props.letters.QueueArn(), "sqs:SendMessage"))
		target.DeadLetterConfig = &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: props.letters.QueueArn()}
	}
	target.RoleArn = scheduleRole(scope, props.function, may...).RoleArn()
	state := "ENABLED"
	if props.disabled {
		state = "DISABLED"
	}
	return awsscheduler.NewCfnSchedule(scope, jsii.String("Schedule"), &awsscheduler.CfnScheduleProps{
		Description:                jsii.String(props.says),
		ScheduleExpression:         jsii.String(props.expression),
		ScheduleExpressionTimezone: jsii.String(orDefault(props.zone, "UTC")),
		FlexibleTimeWindow:         &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")},
		State:                      jsii.String(state),
		Target:                     target,
	})
}

// constructID makes a construct's id of a job's name: "weekly-newsletter" becomes
// WeeklyNewsletter.
func constructID(name string) string {
	var id strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		id.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return id.String()
}
