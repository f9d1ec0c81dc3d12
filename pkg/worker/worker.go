package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Times and sizes that a worker keeps to.
const (
	// Margin is kept free at the end of an invocation, for writing outcomes
	// (a quarter of the invocation, where that is less); the lease ends as
	// long after it.
	Margin = 3 * time.Second
	// Grace is how long a handler may go on after its context has ended.
	Grace = time.Second
	// MaxResult bounds an encoded result or cursor, in bytes: a row holds 400 KB
	// in all, arguments included. With Objects, results of up to
	// claimcheck.MaxBytes are kept.
	MaxResult = 256 << 10
)

// Queue is the part of SQS that a worker uses; *queue.SQS is one.
type Queue interface {
	Send(ctx context.Context, url string, messages []queue.Outgoing) []error
	Hide(ctx context.Context, url string, messages []queue.Hidden) []error
}

// A Config tells what a worker works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Queue speaks to SQS. Required.
	Queue Queue
	// Addresses says where each served queue and its dead-letter queue are, by
	// the queue's name. Required for every queue of the handlers' tasks.
	Addresses map[string]queue.Address
	// Objects is where arguments are that were too large for their rows; it is
	// needed where producers have it. Large results go there.
	Objects *claimcheck.Objects
	// ClaimCheckOver is the size in bytes over which encoded results go to
	// Objects; zero means claimcheck.DefaultOver, and MaxResult is the most.
	ClaimCheckOver int
	// Gauge is told how long jobs waited, for the gates before the queues (package
	// gauge). Default: nobody is.
	Gauge Gauge
	// Logger takes a line for each run: debug when fine, warn when it is to
	// run again, error when dead. Default: slog.Default(). With a telemetry.LogHandler
	// all lines that are logged with a handler's context tell of its job.
	Logger *slog.Logger
	// Metrics takes what is measured of each run, and is flushed at the end of each batch;
	// nil measures nothing.
	Metrics telemetry.Recorder
	// Tracer makes a span of each run; nil makes none. With or without it a handler's
	// context has its job's trace (telemetry.TraceFrom), and one of its own where the job
	// came with none.
	Tracer telemetry.Tracer
	// Now is the clock; default time.Now. Deadlines of contexts are always
	// the machine's.
	Now func() time.Time
	// Random spreads waits, in [0, 1); default math/rand/v2.
	Random func() float64
	// Exit ends the process when a handler ignored the end of its context;
	// default os.Exit.
	Exit func(code int)
}

// A Worker runs jobs. It keeps nothing between invocations and may be used by
// many goroutines.
type Worker struct {
	config   Config
	handlers map[string]*Handler
	// subscribed are the handlers of events.
	subscribed map[arrival]*Handler
	serving    []*served
}

// served is a queue that the worker takes jobs from.
type served struct {
	job.Queue
	queue.Address
	// longest is the longest timeout among its tasks.
	longest time.Duration
}

// New makes a worker for the handlers' tasks, of one queue or of several. Every
// mistake is reported at once.
func New(config Config, handlers ...Handler) (*Worker, error) {
	w := &Worker{config: config.withDefaults(), handlers: map[string]*Handler{}, subscribed: map[arrival]*Handler{}}
	problems := []error{w.config.checkClaims()}
	if config.Jobs == nil {
		problems = append(problems, errors.New("worker: Jobs is missing"))
	}
	if config.Queue == nil {
		problems = append(problems, errors.New("worker: Queue is missing"))
	}
	if len(handlers) == 0 {
		problems = append(problems, errors.New("worker: there is no handler"))
	}
	for _, h := range handlers {
		problems = append(problems, w.add(h))
	}
	for _, s := range w.serving {
		problems = append(problems, s.check())
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return w, nil
}

func (c Config) withDefaults() Config {
	if c.Gauge == nil {
		c.Gauge = noGauge{}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.Exit == nil {
		c.Exit = os.Exit
	}
	return c
}

// add registers a handler and the queue of its task.
func (w *Worker) add(h Handler) error {
	name, q := h.definition.Name, h.definition.Policy.Queue
	problems := []error{h.definition.Validate(), h.mistakes}
	if h.open == nil {
		problems = append(problems, fmt.Errorf("worker: the handler of task %q is nil", name))
	}
	if _, twice := w.handlers[name]; twice {
		problems = append(problems, fmt.Errorf("worker: task %q has two handlers", name))
	}
	w.handlers[name] = &h
	problems = append(problems, w.subscribe(&h))

	s := w.named(q.Name)
	if s == nil {
		s = &served{Queue: q, Address: w.config.Addresses[q.Name]}
		w.serving = append(w.serving, s)
	} else if s.Queue != q {
		problems = append(problems, fmt.Errorf("worker: task %q declares queue %q otherwise than another task does", name, q.Name))
	}
	s.longest = max(s.longest, h.definition.Policy.Timeout)
	return errors.Join(problems...)
}

func (w *Worker) named(queue string) *served {
	for _, s := range w.serving {
		if s.Queue.Name == queue {
			return s
		}
	}
	return nil
}

func (s *served) check() error {
	var problems []error
	if s.URL == "" || s.Letters == "" {
		problems = append(problems, fmt.Errorf("worker: Addresses lacks the queue %q or its dead-letter queue", s.Queue.Name))
	} else if s.Queue.FIFO != s.Address.FIFO() {
		problems = append(problems, fmt.Errorf("worker: queue %q: FIFO is %v, but its URL is %s", s.Queue.Name, s.Queue.FIFO, s.URL))
	}
	return errors.Join(problems...)
}

// serves finds the queue that a message came from, by its name at SQS. A worker
// of one queue needs no telling: what it is handed is that queue's.
func (w *Worker) serves(name string) (*served, error) {
	if len(w.serving) == 1 {
		return w.serving[0], nil
	}
	for _, s := range w.serving {
		if s.Address.Name() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("worker: messages came from queue %s, which this worker has no address of", name)
}
