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

// MaxPolledTimeout is the longest a task may take in one run where processes poll
// its queue (Queue.Polled): SQS keeps a message for 12 hours with who received it,
// and ten minutes are left for waiting one's turn and for writing down how the job
// ended.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
const MaxPolledTimeout = 12*time.Hour - 10*time.Minute

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
	// zero means DefaultMaxArguments. A row holds 320 KiB; a producer with
	// Objects (package claimcheck) takes up to 16 MiB.
	MaxArguments int
	// Version numbers the shape of the arguments, from 1; zero means 1. Raise
	// it with a change that earlier arguments would not decode into, and give
	// the worker the way from the version before (worker.Upgrade).
	Version int
	// ShedAt is how full the queue may be, as a share of its limit, for jobs of
	// this task still to be accepted: below 1 they are refused before others
	// are. Zero means 1.
	ShedAt float64
	// Unique says what becomes of a job whose key (the option Unique) another
	// job has.
	Unique Uniqueness
}

// Uniqueness is the rule for jobs that are enqueued with a key (the option
// Unique). The zero value: the key is taken until the job that has it is
// finished, and the first wins.
type Uniqueness struct {
	// For is how long after the enqueueing the key is taken even where the job
	// is done before. A job that is dead or cancelled frees its key at once: the
	// work was not done. At most MaxUniqueFor.
	For time.Duration
	// NewestWins gives a waiting job the arguments of the newer one. Where the
	// first runs already, the newer one is made all the same, to run after
	// it; otherwise the second enqueue gets the first one's job.
	NewestWins bool
}

// MaxUniqueFor is the longest that a key is taken after its job is done: as long as
// done jobs are kept.
const MaxUniqueFor = 15 * 24 * time.Hour

// Validate reports every setting that makes no sense.
func (p Policy) Validate() error { return about("job", p.mistakes()) }

func (p Policy) mistakes() []error {
	problems := append(p.Queue.mistakes(), p.Backoff.Validate())
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if p.MaxAttempts < 0 {
		bad("MaxAttempts is %d: it is at least 1", p.MaxAttempts)
	}
	if longest := p.longestTimeout(); p.Timeout < 0 || p.Timeout > longest {
		bad("Timeout is %v: it is at most %v; longer work saves its progress with Continue%s", p.Timeout, longest, p.orPolls())
	}
	if p.MaxArguments < 0 {
		bad("MaxArguments is %d bytes: it is 0 (the default) or more", p.MaxArguments)
	}
	if p.Version < 0 {
		bad("Version is %d: versions of the arguments count from 1", p.Version)
	}
	if !(p.ShedAt >= 0 && p.ShedAt <= 1) {
		bad("ShedAt is %v: it is a share of the queue's limit, between 0 and 1", p.ShedAt)
	}
	if p.Unique.For < 0 || p.Unique.For > MaxUniqueFor {
		bad("Unique.For is %v: it is at most %v, as long as done jobs are kept", p.Unique.For, MaxUniqueFor)
	}
	return problems
}

// about says of each mistake what it is one of.
func about(what string, mistakes []error) error {
	var all []error
	for _, err := range mistakes {
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", what, err))
		}
	}
	return errors.Join(all...)
}

func (p Policy) longestTimeout() time.Duration {
	if p.Queue.Polled {
		return MaxPolledTimeout
	}
	return MaxTimeout
}

// orPolls is the other way out of a timeout that is too long.
func (p Policy) orPolls() string {
	if p.Queue.Polled || p.Timeout > MaxPolledTimeout {
		return ""
	}
	return ", or has a queue that processes poll (Polled)"
}

// WithDefaults gives the policy with every zero field filled in.
func (p Policy) WithDefaults() Policy {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = DefaultMaxAttempts
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Version == 0 {
		p.Version = 1
	}
	if p.MaxArguments == 0 {
		p.MaxArguments = DefaultMaxArguments
	}
	return p
}
