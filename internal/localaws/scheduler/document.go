package scheduler

// A document is what a program says of a schedule, by the API's names. Times are
// seconds since 1970.
// https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
type document struct {
	ActionAfterCompletion      string   `json:",omitempty"`
	ClientToken                string   `json:",omitempty"`
	Description                string   `json:",omitempty"`
	EndDate                    *float64 `json:",omitempty"`
	FlexibleTimeWindow         *window
	GroupName                  string `json:",omitempty"`
	KmsKeyArn                  string `json:",omitempty"`
	ScheduleExpression         string
	ScheduleExpressionTimezone string   `json:",omitempty"`
	StartDate                  *float64 `json:",omitempty"`
	State                      string   `json:",omitempty"`
	Target                     *target
}

type window struct {
	Mode                   string
	MaximumWindowInMinutes *int `json:",omitempty"`
}

type target struct {
	Arn              string
	RoleArn          string
	Input            string         `json:",omitempty"`
	RetryPolicy      *retry         `json:",omitempty"`
	DeadLetterConfig *deadLetters   `json:",omitempty"`
	SqsParameters    *sqsParameters `json:",omitempty"`
}

type retry struct {
	MaximumEventAgeInSeconds *int `json:",omitempty"`
	MaximumRetryAttempts     *int `json:",omitempty"`
}

type deadLetters struct {
	Arn string `json:",omitempty"`
}

type sqsParameters struct {
	MessageGroupID string `json:"MessageGroupId,omitempty"`
}

// A record is a schedule as it is kept, and answered.
type record struct {
	document
	Arn                  string
	Name                 string
	CreationDate         float64
	LastModificationDate float64

	// Revision counts changes: each begins anew.
	Revision int `json:",omitempty"`
}

// group is a schedule group as it is kept, and answered.
type group struct {
	Arn                  string
	Name                 string
	State                string
	CreationDate         float64
	LastModificationDate float64
}

const defaultGroup = "default"

// withDefaults fills in what the service does.
func (d document) withDefaults() document {
	if d.GroupName == "" {
		d.GroupName = defaultGroup
	}
	if d.State == "" {
		d.State = "ENABLED"
	}
	if d.ActionAfterCompletion == "" {
		d.ActionAfterCompletion = "NONE"
	}
	if d.ScheduleExpressionTimezone == "" {
		d.ScheduleExpressionTimezone = "UTC"
	}
	return d
}
