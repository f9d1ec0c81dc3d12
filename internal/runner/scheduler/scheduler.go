// Package scheduler fires schedules of EventBridge Scheduler that invoke a
// function.
//
// Supported is rate(n minutes|hours|days). cron and at expressions are refused.
//
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// maxInput bounds a schedule's input, in bytes.
const maxInput = 256 << 10

// Config describes a schedule.
type Config struct {
	// Name and ARN are the schedule's.
	Name, ARN string
	// Expression says when.
	Expression string
	// Input is the event; "" means the service's default event.
	Input string
	// Region and AccountID stand in the default event.
	Region, AccountID string
	// Invoke hands the event to the function, asynchronously.
	Invoke func(payload []byte) error
	// Log takes what people should know; nil drops it.
	Log func(message string)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Sleep waits; nil means a timer.
	Sleep func(context.Context, time.Duration) error
}

// A Schedule fires until it is stopped.
type Schedule struct {
	config Config
	every  time.Duration
}

// New checks a schedule.
func New(config Config) (*Schedule, error) {
	every, err := ParseRate(config.Expression)
	if err == nil && len(config.Input) > maxInput {
		err = fmt.Errorf("the input has %d bytes, at most %d", len(config.Input), maxInput)
	}
	if err != nil {
		return nil, fmt.Errorf("scheduler: the schedule %s: %w", config.Name, err)
	}
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Sleep == nil {
		config.Sleep = clock.Sleep
	}
	return &Schedule{config: config, every: every}, nil
}

var rate = regexp.MustCompile(`^rate\(([1-9][0-9]*) (minute|hour|day)(s?)\)$`)

// ParseRate reads a rate expression: rate(1 minute), rate(5 hours). A value of 1
// takes the singular in EventBridge's rules; Scheduler takes both.
func ParseRate(expression string) (time.Duration, error) {
	for _, kind := range []string{"cron(", "at("} {
		if strings.HasPrefix(expression, kind) {
			return 0, fmt.Errorf("%s is not supported locally, only rate(…)", expression)
		}
	}
	m := rate.FindStringSubmatch(expression)
	if m == nil {
		return 0, fmt.Errorf("%q is no schedule expression", expression)
	}
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[m[2]]
	n, err := strconv.Atoi(m[1])
	if err != nil || n > int(100*365*24*time.Hour/unit) {
		return 0, errors.New("the rate is out of range")
	}
	return time.Duration(n) * unit, nil
}

// Run fires at once and then at the rate, until ctx ends.
func (s *Schedule) Run(ctx context.Context) {
	for at := s.config.Now(); ; at = at.Add(s.every) {
		if err := s.config.Sleep(ctx, max(0, at.Sub(s.config.Now()))); err != nil {
			return
		}
		if late := s.config.Now().Sub(at); late > s.every {
			at = at.Add(late.Truncate(s.every)) // asleep for a while: once is enough
		}
		event, err := s.event(at)
		if err == nil {
			err = s.config.Invoke(event)
		}
		if err != nil && ctx.Err() == nil {
			s.config.Log(fmt.Sprintf("schedule %s: %v", s.config.Name, err))
		}
	}
}

// event gives the input with its context attributes filled in.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
func (s *Schedule) event(at time.Time) ([]byte, error) {
	stamp, id := at.UTC().Format(time.RFC3339), lambdaruntime.NewUUID()
	if s.config.Input == "" {
		return json.Marshal(map[string]any{
			"version": "0", "id": id, "detail-type": "Scheduled Event", "source": "aws.scheduler",
			"account": s.config.AccountID, "time": stamp, "region": s.config.Region,
			"resources": []string{s.config.ARN}, "detail": "{}",
		})
	}
	return []byte(strings.NewReplacer(
		"<aws.scheduler.schedule-arn>", s.config.ARN,
		"<aws.scheduler.scheduled-time>", stamp,
		"<aws.scheduler.execution-id>", id,
		"<aws.scheduler.attempt-number>", "1",
	).Replace(s.config.Input)), nil
}
