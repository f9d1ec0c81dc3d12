package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/scheduler"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// running is a schedule of the template; run is nil for a disabled one.
type running struct {
	samtemplate.Schedule
	run *scheduler.Schedule
}

// schedule makes the source of a schedule; nil for a disabled one, which begins anew
// when it is enabled again.
func (s *Stack) schedule(declared samtemplate.Schedule) (source, error) {
	if declared.Disabled {
		s.schedules = append(s.schedules, running{Schedule: declared})
		return nil, s.folder.Save(scheduler.Kind, declared.Name, "")
	}
	config, err := s.scheduleConfig(declared)
	if err != nil {
		return nil, fmt.Errorf("the schedule %s: %w", declared.Name, err)
	}
	run, err := scheduler.New(config)
	if err != nil {
		return nil, err
	}
	s.schedules = append(s.schedules, running{declared, run})
	return run.Run, nil
}

func (s *Stack) scheduleConfig(declared samtemplate.Schedule) (scheduler.Config, error) {
	deliver, err := s.target(declared.Function, declared.Group)
	start, badStart := bound(declared.Start)
	end, badEnd := bound(declared.End)
	letters, badLetters := s.scheduleLetters(declared.DeadLetters)
	kind := "scheduler:%s:%s:schedule/default/%s"
	if declared.Rule {
		kind = "events:%s:%s:rule/%s"
	}
	config := scheduler.Config{
		Name: declared.Name, ARN: fmt.Sprintf("arn:aws:"+kind, s.config.Region, accountID, declared.Name),
		Expression: declared.Expression, Zone: declared.Timezone, Rule: declared.Rule, Start: start, End: end,
		Input: declared.Input, Region: s.config.Region, AccountID: accountID, TargetARN: declared.Function,
		Retry: scheduler.Retry{Attempts: declared.Retries}, Deliver: deliver, DeadLetter: letters, States: s.folder,
		Log: func(message string) { s.config.Logger.Warn(message) }, Clock: s.clock, Now: s.config.Now, Sleep: s.config.Sleep,
	}
	if declared.MaximumAge != nil {
		config.Retry.Age = time.Duration(*declared.MaximumAge) * time.Second
	}
	return config, errors.Join(err, badStart, badEnd, badLetters)
}

func bound(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("the date %q is not yyyy-mm-ddThh:mm:ssZ", text)
	}
	return at, nil
}

// fireSchedules lets the schedules fire that programs made by the API.
func (s *Stack) fireSchedules() error {
	if s.endpoint == nil {
		return nil
	}
	return s.endpoint.FireSchedules()
}

// invokeScheduled hands the event of a schedule that a program made to a function.
func (s *Stack) invokeScheduled(_ context.Context, arn string, payload []byte, concluded func()) error {
	f := s.function(arn)
	if f == nil {
		return fmt.Errorf("%w: the template has no function %s", localaws.ErrNoTarget, arn)
	}
	return f.InvokeAsyncThen(payload, concluded)
}

// target gives the way to a schedule's target: a function of the template, invoked
// asynchronously, or a queue.
func (s *Stack) target(arn, group string) (scheduler.Deliver, error) {
	if f := s.function(arn); f != nil {
		return func(_ context.Context, payload []byte, concluded func()) error {
			err := f.InvokeAsyncThen(payload, concluded)
			if errors.Is(err, lambdaruntime.ErrTooLarge) {
				err = fmt.Errorf("%w: %w", scheduler.ErrFinal, err)
			}
			return err
		}, nil
	}
	q := s.queueByARN(arn)
	if q == nil {
		return nil, fmt.Errorf("the template has no function or queue %q", arn)
	}
	return func(ctx context.Context, payload []byte, concluded func()) error {
		if err := s.sendTo(ctx, q, payload, group, nil); err != nil {
			return err
		}
		concluded()
		return nil
	}, nil
}

// scheduleLetters gives the way to a dead-letter queue; nil without one.
func (s *Stack) scheduleLetters(arn string) (func(context.Context, []byte, map[string]string) error, error) {
	if arn == "" {
		return nil, nil
	}
	q := s.queueByARN(arn)
	if q == nil {
		return nil, fmt.Errorf("the template has no dead-letter queue %q", arn)
	}
	return func(ctx context.Context, payload []byte, attributes map[string]string) error {
		return s.sendTo(ctx, q, payload, "", attributes)
	}, nil
}

func (s *Stack) queueByARN(arn string) *queue {
	if i := slices.IndexFunc(s.queues, func(q *queue) bool { return q.arn == arn }); i >= 0 {
		return s.queues[i]
	}
	return nil
}

func (s *Stack) sendTo(ctx context.Context, q *queue, body []byte, group string, attributes map[string]string) error {
	in := &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: aws.String(string(body)), MessageAttributes: map[string]types.MessageAttributeValue{}}
	for name, value := range attributes {
		in.MessageAttributes[name] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: &value}
	}
	if group != "" {
		in.MessageGroupId = &group
	}
	if _, err := s.clients.sqs.SendMessage(ctx, in); err != nil {
		return fmt.Errorf("sending to the queue %s: %w", q.name, err)
	}
	return nil
}
