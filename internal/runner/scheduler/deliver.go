package scheduler

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"
)

// The waits between attempts to reach a target: doubled each time. AWS says that
// they grow exponentially, and no numbers.
const (
	firstWait   = time.Second
	longestWait = 5 * time.Minute
)

// hand gives an occurrence to the target, with Scheduler's retries, and waits until
// it has come to its end. release is called when the target has been asked.
func (s *Schedule) hand(ctx context.Context, at time.Time, release func()) {
	defer release()
	first := s.config.Now()
	wait := firstWait
	for attempt := 1; ; attempt++ {
		e, err := s.event(at, attempt)
		if err != nil {
			s.log("%v", err)
			s.conclude(at)
			return
		}
		done := make(chan struct{})
		concluded := sync.OnceFunc(func() {
			s.conclude(at)
			close(done)
		})
		err = s.config.Deliver(ctx, e.payload, concluded)
		release()
		if err == nil {
			select {
			case <-done:
			case <-ctx.Done(): // the target's own; what it has not ended is repeated after the next start
			}
			return
		}
		if ctx.Err() != nil {
			return
		}
		if condition := s.exhausted(err, attempt, first, wait); condition != retryable {
			s.giveUp(ctx, at, e, err, attempt, condition)
			return
		}
		if s.config.Sleep(ctx, wait) != nil {
			return
		}
		wait = min(2*wait, longestWait)
	}
}

// A condition is why Scheduler stops trying.
type condition string

const (
	retryable      condition = ""
	final          condition = "the target can't be reached at all"
	attemptsSpent  condition = "MaximumRetryAttempts"
	eventIsTooOld  condition = "MaximumEventAgeInSeconds"
	defaultFailure           = "TARGET_NOT_REACHED"
)

// exhausted tells why there is no further attempt after a wait.
func (s *Schedule) exhausted(err error, attempt int, first time.Time, wait time.Duration) condition {
	switch {
	case errors.Is(err, ErrFinal):
		return final
	case attempt > *s.config.Retry.Attempts:
		return attemptsSpent
	case s.config.Now().Add(wait).Sub(first) > s.config.Retry.Age:
		return eventIsTooOld
	}
	return retryable
}

// giveUp sends the event to the dead-letter queue, with the attributes that AWS
// documents.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
func (s *Schedule) giveUp(ctx context.Context, at time.Time, e event, cause error, attempt int, why condition) {
	s.log("the occurrence of %s is given up after %d attempts: %v", stamp(at), attempt, cause)
	if s.config.DeadLetter != nil {
		attributes := map[string]string{
			"ERROR_CODE": codeOf(cause), "ERROR_MESSAGE": cause.Error(), "EXECUTION_ID": e.execution, "IS_PAYLOAD_TRUNCATED": "false",
			"RETRY_ATTEMPTS": strconv.Itoa(attempt - 1), "SCHEDULED_TIME": stamp(at), "SCHEDULE_ARN": s.config.ARN, "TARGET_ARN": s.config.TargetARN,
		}
		if why != final {
			attributes["EXHAUSTED_RETRY_CONDITION"] = string(why)
		}
		if err := s.config.DeadLetter(ctx, e.payload, attributes); err != nil {
			s.log("the occurrence of %s is lost: its dead letter could not be sent: %v", stamp(at), err)
		}
	}
	s.conclude(at)
}

// codeOf gives the code of an error that has one.
func codeOf(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return defaultFailure
}
