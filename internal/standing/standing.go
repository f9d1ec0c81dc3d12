// Package standing tells people how queues stand: how many jobs wait and how many may, how
// long the oldest has waited, what becomes of new work, and whether anybody works on them.
//
// It has no rules of its own. Limits are those of the queues' plans (package sizing), what
// is known of a queue comes from where its gate looks (package gauge), what becomes of new
// work is what a gate says that only looks (package admission), and who lends to whom is
// what the desk has written down (package scaling).
package standing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A Queue is how one stands. Times are in seconds.
type Queue struct {
	Queue string `json:"queue"`
	// Visible, Delayed and InFlight count its messages; their sum is its depth.
	Visible  int `json:"visible"`
	Delayed  int `json:"delayed"`
	InFlight int `json:"in_flight"`
	// Letters is absent where no dead-letter queue is known.
	Letters    *int   `json:"dead_letters,omitempty"`
	URL        string `json:"url,omitempty"`
	LettersURL string `json:"dead_letters_url,omitempty"`

	// Limit is how many jobs may wait, and LongestWait how long; absent for a queue that
	// no task declares, which has no gate.
	Limit       int     `json:"limit,omitempty"`
	LongestWait float64 `json:"longest_wait_s,omitempty"`
	// Age is how long the oldest job has waited; absent where nobody knows.
	Age *float64 `json:"age_s,omitempty"`
	// Gate says what becomes of new work, Means the same in words.
	Gate  Gate   `json:"gate,omitempty"`
	Means string `json:"gate_means,omitempty"`

	// Paused tells that nobody works on the queue, by somebody's wish. Workers says what
	// they do, in words, and Until when that ends by itself.
	Paused  bool      `json:"paused"`
	Workers string    `json:"workers"`
	Until   time.Time `json:"until,omitzero"`

	// Problem is what could not be read.
	Problem string `json:"problem,omitempty"`
}

// A Config says what a Board looks at.
type Config struct {
	// Queues are the queues' URLs, by name. Counter counts their messages. Required.
	Queues  map[string]settings.QueueURLs
	Counter gauge.Counter
	// Jobs is the table; nil where there is none: then messages are counted, and no more.
	Jobs *store.Jobs
	// Tasks declare queues.
	Tasks []job.Defined
	// Disabled tells whether the event source mapping of the queue at a URL is disabled;
	// nil where nobody knows.
	Disabled func(url string) bool
	// Window is how long the relay gathers rows; zero means admission.DefaultWindow.
	Window time.Duration
	Now    func() time.Time
}

// A Board looks at queues. It remembers, as gates do, which were full. It may be used by
// many goroutines.
type Board struct {
	config Config
	desk   *scaling.Desk
	plans  map[string]sizing.Plan
	gates  map[string]*admission.Gate
}

// New makes a Board. Declarations that contradict themselves are an error.
func New(c Config) (*Board, error) {
	b := &Board{config: c, gates: map[string]*admission.Gate{}}
	if c.Jobs == nil {
		return b, nil
	}
	var err error
	if b.desk, err = scaling.NewDesk(c.Jobs, c.Now); err != nil {
		return nil, err
	}
	if b.plans, err = sizing.ForTasks(c.Tasks...); err != nil {
		return nil, err
	}
	late := sweep.NewLate(c.Jobs, c.Now)
	var problems []error
	for name, urls := range c.Queues {
		if plan, declared := b.plans[name]; declared && urls.URL != "" {
			b.gates[name], err = c.gate(plan, urls.URL, late)
			problems = append(problems, err)
		}
	}
	return b, errors.Join(problems...)
}

// Look tells how all queues stand, by their names.
func (b *Board) Look(ctx context.Context) ([]Queue, error) {
	var loans []scaling.Loan
	if b.desk != nil {
		var err error
		if loans, err = b.desk.Loans(ctx); err != nil {
			return nil, fmt.Errorf("standing: reading what is lent: %w", err)
		}
	}
	names := slices.Sorted(maps.Keys(b.config.Queues))
	queues := make([]Queue, len(names))
	var looks sync.WaitGroup
	for i, name := range names {
		looks.Go(func() { queues[i] = b.queue(ctx, name, loans) })
	}
	looks.Wait()
	return queues, nil
}

func (b *Board) queue(ctx context.Context, name string, loans []scaling.Loan) Queue {
	urls := b.config.Queues[name]
	q := Queue{Queue: name, URL: urls.URL, LettersURL: urls.Letters}
	q.staff(loans, b.config.Disabled != nil && b.config.Disabled(urls.URL), b.config.Now())
	err := b.count(ctx, &q)
	if gate := b.gates[name]; gate != nil {
		if wrong := b.judge(ctx, &q, gate); err == nil {
			err = wrong
		}
	}
	if err != nil {
		q.Problem = err.Error()
	}
	return q
}

// count counts what is in a queue and in its dead-letter queue.
func (b *Board) count(ctx context.Context, q *Queue) error {
	if q.URL != "" {
		depth, err := b.config.Counter.Depth(ctx, q.URL)
		if err != nil {
			return err
		}
		q.Visible, q.Delayed, q.InFlight = depth.Visible, depth.Delayed, depth.InFlight
	}
	if q.LettersURL != "" {
		depth, err := b.config.Counter.Depth(ctx, q.LettersURL)
		if err != nil {
			return err
		}
		letters := depth.Total()
		q.Letters = &letters
	}
	return nil
}
