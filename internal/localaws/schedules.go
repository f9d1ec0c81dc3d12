package localaws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/scheduler"
)

func (s *Server) openScheduler(path string) (err error) {
	s.scheduler, err = scheduler.Open(scheduler.Config{
		Path: path, Clock: s.cfg.Clock, Now: s.cfg.Now, Sleep: s.cfg.Sleep, Region: s.cfg.Region, AccountID: s.cfg.AccountID,
		Send: s.send, Invoke: s.cfg.Invoke, Log: func(message string) { s.cfg.Logger.Warn(message) },
	})
	if err != nil || s.cfg.HoldSchedules {
		return err
	}
	return s.scheduler.Fire()
}

// FireSchedules lets schedules fire, and buckets notify, where HoldSchedules kept them
// from it.
func (s *Server) FireSchedules() error {
	s.s3.Notify()
	return s.scheduler.Fire()
}

// Schedules gives the schedules that were made by the API.
func (s *Server) Schedules() ([]scheduler.Upcoming, error) { return s.scheduler.Upcoming() }

// send sends a schedule's message to a queue of this endpoint.
func (s *Server) send(ctx context.Context, queueARN, body, group string, attributes map[string]string) error {
	parts := strings.Split(queueARN, ":")
	if len(parts) != 6 {
		return fmt.Errorf("%w: %s", scheduler.ErrNoTarget, queueARN)
	}
	type attribute struct{ DataType, StringValue string }
	request := struct {
		QueueURL          string `json:"QueueUrl"`
		MessageBody       string
		MessageGroupID    string               `json:"MessageGroupId,omitempty"`
		MessageAttributes map[string]attribute `json:",omitempty"`
	}{"http://localhost/" + parts[4] + "/" + parts[5], body, group, map[string]attribute{}}
	for name, value := range attributes {
		request.MessageAttributes[name] = attribute{"String", value}
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encoding a message to %s: %w", queueARN, err)
	}
	_, err = s.sqs.Service().Operations["SendMessage"](ctx, encoded)
	var refused *awsjson.Error
	if errors.As(err, &refused) && refused.Code == "QueueDoesNotExist" {
		return &missingQueue{refused, queueARN}
	}
	return err
}

// missingQueue is the refusal of a message to a queue that isn't there.
type missingQueue struct {
	cause *awsjson.Error
	arn   string
}

func (e *missingQueue) Error() string   { return e.cause.Message + " " + e.arn }
func (e *missingQueue) Unwrap() []error { return []error{scheduler.ErrNoTarget, e.cause} }

// ErrorCode is what a dead letter tells of it.
func (e *missingQueue) ErrorCode() string { return e.cause.QueryCode }
