package gauge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Counter counts the messages of a queue; *queue.SQS is one.
type Counter interface {
	Depth(ctx context.Context, url string) (queue.Depth, error)
}

// A SourceConfig says what a Source reads.
type SourceConfig struct {
	// Queue is the queue's name, URL where it is, LongestWait how long a job may wait
	// in it. Required.
	Queue, URL  string
	LongestWait time.Duration
	// Jobs is the table, Counter counts messages. Required.
	Jobs    *store.Jobs
	Counter Counter
	// Overdue gives since when the oldest job of each queue, by its name, has been due
	// that was not handed to it; nil: nobody looks. See sweep.Late.
	Overdue func(ctx context.Context) (map[string]time.Time, error)
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger takes what could not be written; default slog.Default().
	Logger *slog.Logger
}

// A Source makes readings of a queue for its gate: its Look and its Probe are what
// admission.Config takes. It may be used by many goroutines.
type Source struct {
	config SourceConfig

	mu   sync.Mutex
	last store.Gauge
}

// NewSource makes a Source. It reports every mistake at once.
func NewSource(config SourceConfig) (*Source, error) {
	var problems []error
	required := func(missing bool, what string) {
		if missing {
			problems = append(problems, fmt.Errorf("gauge: SourceConfig of queue %q: %s", config.Queue, what))
		}
	}
	required(config.Queue == "", "Queue is empty: it is the queue's name")
	required(config.URL == "", "URL is empty: it is the queue's URL")
	required(config.LongestWait <= 0, fmt.Sprintf("LongestWait is %v: it is how long a job may wait", config.LongestWait))
	required(config.Jobs == nil, "Jobs is nil: it is the jobs table, of store.New")
	required(config.Counter == nil, "Counter is nil: it counts the queue's messages")
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return &Source{config: config}, errors.Join(problems...)
}

// Look reads the queue's depth and its gauge, at once.
func (s *Source) Look(ctx context.Context) (admission.Reading, error) {
	var depth queue.Depth
	var gauge store.Gauge
	var overdue map[string]time.Time
	reads, reading := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		depth, err = s.config.Counter.Depth(reading, s.config.URL)
		return err
	})
	reads.Go(func() (err error) {
		gauge, err = s.config.Jobs.Gauge(reading, s.config.Queue)
		return err
	})
	if s.config.Overdue != nil {
		reads.Go(func() (err error) {
			overdue, err = s.config.Overdue(reading)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return admission.Reading{}, fmt.Errorf("gauge: reading %s: %w", s.config.Queue, err)
	}
	s.mu.Lock()
	s.last = gauge
	s.mu.Unlock()
	return admission.Reading{
		Depth: depth.Total(), Oldest: s.oldest(ctx, depth, gauge), Due: overdue[s.config.Queue],
		Relayed: gauge.Relayed, Asked: gauge.Asked, Probed: gauge.Probed,
	}, nil
}

// Times that follow from a queue's longest wait.
const (
	leastStale = 5 * time.Second
	leastKept  = 2 * time.Second
)

// oldest says since when the job waits that waits longest, by the rules in the
// package's documentation; zero where none does, or nobody knows.
func (s *Source) oldest(ctx context.Context, depth queue.Depth, g store.Gauge) time.Time {
	if depth.Visible == 0 || g.Notes == 0 {
		return time.Time{}
	}
	now, since := s.config.Now(), g.Oldest
	unheard := now.Sub(g.Noted).Abs() // what the future noted, by a wrong clock, says nothing either
	if unheard > max(s.config.LongestWait/2, leastStale) {
		since = now
	}
	if unheard >= max(s.config.LongestWait/10, leastKept) {
		if _, err := s.config.Jobs.KeepWaiting(ctx, s.config.Queue, g, since); err != nil {
			s.config.Logger.WarnContext(ctx, "that jobs wait was not noted", "queue", s.config.Queue, "error", err.Error())
		}
	}
	return since
}

// Probe sends the relay a probe, unless somebody else did since the last Look.
func (s *Source) Probe(ctx context.Context) error {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	_, err := s.config.Jobs.Probe(ctx, s.config.Queue, last)
	return err
}
