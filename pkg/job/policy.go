package job

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

// Defaults of a Policy. 25 attempts with the default waits span about three
// weeks: a fault that is found on Monday and mended within the fortnight costs
// no job. What can't succeed should say so with Fail, and doesn't wait.
const (
	DefaultMaxAttempts  = 25
	DefaultTimeout      = time.Minute
	DefaultMaxArguments = 256 << 10
)

// MaxTimeout is the longest a task may take in one run: Lambda ends a function
// after 15 minutes, and a margin is needed to write down how the job ended.
// Longer work continues (see Continue).
const MaxTimeout = 15*time.Minute - 10*time.Second

// A Policy says how a task's jobs are treated. The zero value of each field but
// Queue means its default.
type Policy struct {
	// Queue is where the task's jobs wait.
	Queue Queue
	// MaxAttempts is how often a job runs before it is dead; zero means
	// DefaultMaxAttempts. Only runs of the handler count.
	MaxAttempts int
	// Timeout ends a run's context; zero means DefaultTimeout.
	Timeout time.Duration
	// Backoff gives the waits between attempts.
	Backoff backoff.Policy
	// Public tasks can be enqueued over HTTP by anyone whom the API lets in.
	Public bool
	// MaxArguments is the largest size of a job's encoded arguments in bytes;
	// zero means DefaultMaxArguments.
	MaxArguments int
}

// Validate reports every setting that makes no sense.
func (p Policy) Validate() error {
	problems := []error{p.Queue.Validate(), p.Backoff.Validate()}
	if p.MaxAttempts < 0 {
		problems = append(problems, fmt.Errorf("job: MaxAttempts is %d: it is at least 1", p.MaxAttempts))
	}
	if p.Timeout < 0 || p.Timeout > MaxTimeout {
		problems = append(problems, fmt.Errorf("job: Timeout is %v: it is at most %v; longer work saves its progress with Continue", p.Timeout, MaxTimeout))
	}
	if p.MaxArguments < 0 {
		problems = append(problems, fmt.Errorf("job: MaxArguments is %d bytes: it is positive", p.MaxArguments))
	}
	return errors.Join(problems...)
}

// WithDefaults gives the policy with every zero field filled in.
func (p Policy) WithDefaults() Policy {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = DefaultMaxAttempts
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.MaxArguments == 0 {
		p.MaxArguments = DefaultMaxArguments
	}
	return p
}
