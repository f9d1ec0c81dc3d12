package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/pkg/schedule"
)

// MaxInput bounds a schedule's input, in bytes.
const MaxInput = 256 << 10

// Defaults and bounds of a Retry.
// https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html
const (
	MaxAttempts = 185
	MinAge      = time.Minute
	MaxAge      = 24 * time.Hour
)

// ErrFinal is wrapped by errors of a Deliver that no retry can mend: the target
// isn't there.
var ErrFinal = errors.New("scheduler: the target can't be reached at all")

// A Deliver hands an event to the target. nil means that the target has accepted it;
// concluded is then to be called when the event has come to its end and need not be
// kept any longer.
type Deliver func(ctx context.Context, payload []byte, concluded func()) error

// States keep how far schedules are.
type States interface {
	// Load gives what was saved, or "".
	Load(kind, name string) (string, error)
	// Save keeps a state.
	Save(kind, name, state string) error
}

// Kind is the kind under which States keep schedules.
const Kind = "schedule"

// A Retry says how often Scheduler itself tries to reach the target. A function that
// was reached and fails is Lambda's to retry.
type Retry struct {
	// Attempts is how often after the first; nil means MaxAttempts.
	Attempts *int
	// Age is how long after the first; zero means MaxAge.
	Age time.Duration
}

// Config describes a schedule. The zero value of each field but Name, Expression,
// Deliver and States has a meaning.
type Config struct {
	// Name and ARN are the schedule's. The name is its place in States.
	Name, ARN string
	// Expression and Zone say when; "" as Zone means UTC.
	Expression, Zone string
	// Rule reads the expression by the rules of EventBridge's scheduled rules.
	Rule bool
	// Start and End bound the occurrences of a rate or cron expression.
	Start, End time.Time
	// Made is when the schedule was made, and begins; zero means when it first
	// runs.
	Made time.Time
	// Input is the event; "" means the service's default event.
	Input string
	// Region and AccountID stand in the default event.
	Region, AccountID string
	// Retry is for a target that can't be reached.
	Retry Retry
	// Deliver hands the event over.
	Deliver Deliver
	// DeadLetter takes an event that could not be delivered, with message
	// attributes that say why; nil drops it.
	DeadLetter func(ctx context.Context, payload []byte, attributes map[string]string) error
	// TargetARN stands in dead letters.
	TargetARN string
	// States keep how far the schedule is.
	States States
	// Completed is called when no occurrence will come any more and all have
	// come to their end; nil means nothing is to be done.
	Completed func()
	// Log takes what people should know; nil drops it.
	Log func(message string)
	// Clock is the stack's clock; nil means the machine's.
	Clock *clock.Clock
	// Now is the clock in the place of Clock's; nil means Clock's.
	Now func() time.Time
	// Sleep waits in the place of Clock; nil means Clock does.
	Sleep func(context.Context, time.Duration) error
}

// A Schedule fires while it runs.
type Schedule struct {
	config Config
	when   schedule.Schedule

	mu    sync.Mutex
	state state
}

// New checks a schedule. Errors of its expression wrap *schedule.Error.
func New(config Config) (*Schedule, error) {
	var when schedule.Schedule
	var err error
	if config.Rule {
		when, err = schedule.ParseRule(config.Expression)
	} else {
		when, err = schedule.Parse(config.Expression, config.Zone)
	}
	if err == nil && len(config.Input) > MaxInput {
		err = fmt.Errorf("the input has %d bytes, at most %d", len(config.Input), MaxInput)
	}
	if err != nil {
		return nil, fmt.Errorf("scheduler: the schedule %s: %w", config.Name, err)
	}
	if config.Retry.Attempts == nil {
		most := MaxAttempts
		config.Retry.Attempts = &most
	}
	if config.Retry.Age == 0 {
		config.Retry.Age = MaxAge
	}
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Now == nil {
		config.Now = config.Clock.Now
	}
	if config.Sleep == nil {
		config.Sleep = config.Clock.Sleep
	}
	return &Schedule{config: config, when: when}, nil
}

// log says something of the schedule.
func (s *Schedule) log(format string, args ...any) {
	s.config.Log(fmt.Sprintf("schedule %s: ", s.config.Name) + fmt.Sprintf(format, args...))
}
