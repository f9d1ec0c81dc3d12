package scheduler

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	engine "github.com/nightshift-go/nightshift/internal/runner/scheduler"
	"github.com/nightshift-go/nightshift/pkg/schedule"
)

// Patterns of the API reference.
var (
	namePattern  = regexp.MustCompile(`^[0-9a-zA-Z\-_.]{1,64}$`)
	rolePattern  = regexp.MustCompile(`^arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+$`)
	queuePattern = regexp.MustCompile(`^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[a-zA-Z0-9\-_]+(\.fifo)?$`)
	lambdaPrefix = regexp.MustCompile(`^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[a-zA-Z0-9-_:$]+$`)
)

// lastSecond is the end of schedule.LastYear.
var lastSecond = float64(time.Date(schedule.LastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).Unix())

// mistakes collects what is wrong with a document.
type mistakes []string

func (m *mistakes) unless(ok bool, format string, args ...any) {
	if !ok {
		*m = append(*m, fmt.Sprintf(format, args...))
	}
}

func (m mistakes) err() error {
	if len(m) == 0 {
		return nil
	}
	return invalid("%s", strings.Join(m, " "))
}

// check refuses what the service would. The document has its defaults.
func (d document) check(name string) error {
	var m mistakes
	m.unless(namePattern.MatchString(name), "The name %.80q is not 1 to 64 letters, digits, dots, dashes and underscores.", name)
	m.unless(namePattern.MatchString(d.GroupName), "The group name %.80q is not 1 to 64 letters, digits, dots, dashes and underscores.", d.GroupName)
	m.unless(d.State == "ENABLED" || d.State == "DISABLED", "The state %.20q is neither ENABLED nor DISABLED.", d.State)
	m.unless(d.ActionAfterCompletion == "NONE" || d.ActionAfterCompletion == "DELETE", "ActionAfterCompletion %.20q is neither NONE nor DELETE.", d.ActionAfterCompletion)
	m.unless(len(d.Description) <= 512, "The description has more than 512 characters.")
	m.unless(len(d.ScheduleExpression) <= 256, "The schedule expression has more than 256 characters.")
	if _, err := schedule.Parse(d.ScheduleExpression, d.ScheduleExpressionTimezone); err != nil {
		m = append(m, "Invalid Schedule Expression: "+err.Error()+".")
	}
	for _, date := range []*float64{d.StartDate, d.EndDate} {
		m.unless(date == nil || *date >= 0 && *date < lastSecond, "A date is not within the years 1970 and %d.", schedule.LastYear)
	}
	if d.StartDate != nil && d.EndDate != nil {
		m.unless(*d.StartDate < *d.EndDate, "The end date is not after the start date.")
	}
	d.FlexibleTimeWindow.check(&m)
	d.Target.check(&m)
	return m.err()
}

func (w *window) check(m *mistakes) {
	switch {
	case w == nil:
		m.unless(false, "FlexibleTimeWindow is missing.")
	case w.Mode == "OFF":
		m.unless(w.MaximumWindowInMinutes == nil, "MaximumWindowInMinutes goes with the mode FLEXIBLE only.")
	case w.Mode == "FLEXIBLE":
		n := w.MaximumWindowInMinutes
		m.unless(n != nil && *n >= 1 && *n <= 1440, "The mode FLEXIBLE needs MaximumWindowInMinutes, 1 to 1440.")
	default:
		m.unless(false, "The mode %.20q of the flexible time window is neither OFF nor FLEXIBLE.", w.Mode)
	}
}

func (t *target) check(m *mistakes) {
	if t == nil {
		m.unless(false, "Target is missing.")
		return
	}
	isQueue, isFunction := queuePattern.MatchString(t.Arn), lambdaPrefix.MatchString(t.Arn)
	isFIFO := isQueue && strings.HasSuffix(t.Arn, ".fifo")
	m.unless(isQueue || isFunction, "The target %.200q: the local endpoint fires into SQS queues and Lambda functions only.", t.Arn)
	m.unless(rolePattern.MatchString(t.RoleArn), "RoleArn %.200q is no role's ARN.", t.RoleArn)
	m.unless(len(t.Input) <= engine.MaxInput, "The input has %d bytes, at most %d.", len(t.Input), engine.MaxInput)
	m.unless(!isFunction || t.Input == "" || json.Valid([]byte(t.Input)), "The input of a Lambda target must be well-formed JSON.")
	m.unless(isFIFO == (t.SqsParameters != nil && t.SqsParameters.MessageGroupID != ""), "SqsParameters with a MessageGroupId go with FIFO queues, and are needed there.")
	if p := t.RetryPolicy; p != nil {
		age, attempts := p.MaximumEventAgeInSeconds, p.MaximumRetryAttempts
		m.unless(age == nil || *age >= 60 && *age <= 86400, "MaximumEventAgeInSeconds is not within 60 and 86400.")
		m.unless(attempts == nil || *attempts >= 0 && *attempts <= engine.MaxAttempts, "MaximumRetryAttempts is not within 0 and %d.", engine.MaxAttempts)
	}
	if q := t.DeadLetterConfig; q != nil && q.Arn != "" {
		m.unless(queuePattern.MatchString(q.Arn) && !strings.HasSuffix(q.Arn, ".fifo"), "The dead-letter queue %.200q is no standard SQS queue's ARN.", q.Arn)
	}
}
