package deadletter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// SQS is what the package needs of SQS; *queue.SQS is one.
type SQS interface {
	Receive(ctx context.Context, url string, ask queue.Ask) ([]queue.Incoming, error)
	Hide(ctx context.Context, url string, messages []queue.Hidden) []error
	Delete(ctx context.Context, url string, receipts []string) []error
	Send(ctx context.Context, url string, messages []queue.Outgoing) []error
	Depth(ctx context.Context, url string) (queue.Depth, error)
}

// DefaultHold is five minutes.
const DefaultHold = 5 * time.Minute

// A Config tells what a Queue works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// SQS reads and writes queues. Required.
	SQS SQS
	// Address is where the letters are, and the queue that they belong to.
	// Letters is required; URL only for sending back what can't be read, where
	// SQS does not say from which queue it came.
	Address queue.Address
	// Hold is how long a letter stays hidden that a run has in its hands. A run
	// renews it, and ends it when it ends; after a crash the letters are back
	// when it is over. At least 30 seconds; default DefaultHold.
	Hold time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random spreads waits, in [0, 1); default math/rand/v2.
	Random func() float64
}

// A Queue is a dead-letter queue. Its methods may be called at the same time, by
// several programs as well: what one has in its hands, the others don't see.
type Queue struct{ config Config }

// New makes a Queue. Every mistake is reported at once.
func New(config Config) (*Queue, error) {
	var problems []error
	if config.Jobs == nil {
		problems = append(problems, errors.New("deadletter: Jobs is missing"))
	}
	if config.SQS == nil {
		problems = append(problems, errors.New("deadletter: SQS is missing"))
	}
	if config.Address.Letters == "" {
		problems = append(problems, errors.New("deadletter: Address.Letters is missing: the URL of the dead-letter queue"))
	}
	if config.Hold == 0 {
		config.Hold = DefaultHold
	}
	if config.Hold < 30*time.Second {
		problems = append(problems, fmt.Errorf("deadletter: Hold is %v: at least 30 s", config.Hold))
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Random == nil {
		config.Random = rand.Float64
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Queue{config: config}, nil
}

// fifo tells whether the dead-letter queue is a FIFO queue.
func (q *Queue) fifo() bool { return queue.Address{URL: q.config.Address.Letters}.FIFO() }

// Options say which letters a run is about, and how it goes about them.
type Options struct {
	Filter Filter
	// All permits Drop without a filter.
	All bool
	// Unreadable lets Redrive send back what can't be read, too.
	Unreadable bool
	// Max is how many letters to act on; zero means no limit.
	Max int
	// Rate is how many letters a second; zero means as fast as it goes.
	Rate float64
	// DryRun looks, and changes nothing.
	DryRun bool
	// Each is told of each letter that the filter matches, once and one at a
	// time, and of what became of it. Default: nobody is.
	Each func(Result)
}

// ErrNoFilter is returned where Drop is to drop everything and was not told so.
var ErrNoFilter = errors.New("deadletter: no filter: All drops every letter")

func (o Options) validate() error {
	var problems []error
	if o.Max < 0 {
		problems = append(problems, fmt.Errorf("deadletter: Max is %d", o.Max))
	}
	if o.Rate < 0 || math.IsNaN(o.Rate) || math.IsInf(o.Rate, 0) {
		problems = append(problems, fmt.Errorf("deadletter: Rate is %v letters a second", o.Rate))
	}
	if s, b := o.Filter.Since, o.Filter.Before; !s.IsZero() && !b.IsZero() && !s.Before(b) {
		problems = append(problems, fmt.Errorf("deadletter: nothing lies since %v and before %v", s, b))
	}
	return errors.Join(problems...)
}

// A Status is what became of a letter.
type Status string

// The statuses. With DryRun they say what would become of it.
const (
	// Listed: it is still there; nothing was asked of it.
	Listed Status = "listed"
	// Redriven: its job starts anew, and the letter is gone.
	Redriven Status = "redriven"
	// Returned: what could not be read went back as it came.
	Returned Status = "returned"
	// Dropped: it is gone.
	Dropped Status = "dropped"
	// Removed: it was stale, and is gone.
	Removed Status = "removed"
	// Refused: it is still there; Result.Err says why.
	Refused Status = "refused"
)

// A Result is what became of one letter.
type Result struct {
	Letter Letter
	Status Status
	// Err is why the letter was Refused.
	Err error
}

// Why letters are refused, beside store.ErrDuplicate and store.ErrUnreadable.
var (
	// ErrGone: the letter's job does not exist any more.
	ErrGone = errors.New("deadletter: its job is gone")
	// ErrUnreadable: what can't be read goes back only when asked for.
	ErrUnreadable = errors.New("deadletter: it can't be read, and is sent back only on request")
	// ErrNoSource: nobody knows from which queue it came.
	ErrNoSource = errors.New("deadletter: it is not known which queue it came from")
	// ErrDiedAgain: the run redrove its job before.
	ErrDiedAgain = errors.New("deadletter: its job was redriven in this run, and died again")
)

// A Summary counts what a run did.
type Summary struct {
	// Seen letters were in the queue when the run began, and Matched ones of
	// them the filter let pass.
	Seen, Matched int
	// By is how many became what.
	By map[Status]int
	// Newer letters arrived after the run had begun. They were left alone.
	Newer int
	// Unseen is how many more SQS says are visible and did not hand out: a FIFO
	// queue keeps a group back, or there are more than SQS lets be in anybody's
	// hands.
	Unseen int
	// Elsewhere is about how many are hidden that the run does not hold itself:
	// another program has them, or had them and died within its Hold. SQS's
	// counts lag; it is a hint.
	Elsewhere int
	// Hidden letters could not be made visible again at once, and are by
	// themselves when the hold is over.
	Hidden int
}

// List gives each letter to Each, once, and tells its Standing. It changes
// nothing.
func (q *Queue) List(ctx context.Context, o Options) (Summary, error) {
	return q.run(ctx, o, q.list)
}

// Redrive lets the jobs of letters start anew: the row first, and then the letter
// is deleted. Attempts are counted from zero, and the job goes to its own queue.
// Letters that are stale are removed. A run that was stopped, by a crash too,
// goes on where it was by being run again.
func (q *Queue) Redrive(ctx context.Context, o Options) (Summary, error) {
	return q.run(ctx, o, func(ctx context.Context, r *run, l Letter) (Result, error) { return q.redrive(ctx, r, l) })
}

// Drop deletes letters. Their rows stay dead, until their time to live is over.
// Without a filter, All must be set: else the error is ErrNoFilter.
func (q *Queue) Drop(ctx context.Context, o Options) (Summary, error) {
	if o.Filter.IsZero() && !o.All {
		return Summary{}, ErrNoFilter
	}
	return q.run(ctx, o, q.drop)
}
