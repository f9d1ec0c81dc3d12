package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Defaults of a PollConfig.
const (
	DefaultHold  = time.Minute
	DefaultDrain = 25 * time.Second
)

// Bounds of PollConfig.Hold.
const (
	LeastHold = 10 * time.Second
	MostHold  = time.Hour
)

// A Receiver is the part of SQS that Poll uses besides the worker's Queue;
// *queue.SQS is one.
type Receiver interface {
	Receive(ctx context.Context, url string, ask queue.Ask) ([]queue.Incoming, error)
	Delete(ctx context.Context, url string, receipts []string) []error
}

// A PollConfig tells how Poll takes messages from its queues.
type PollConfig struct {
	// Receiver receives and deletes messages. Required.
	Receiver Receiver
	// Pollers is how many batches of a queue are in hand at once, by the
	// queue's name. A batch is up to Queue.Batch messages, of which
	// Queue.Bound jobs run side by side, so that pollers × bound jobs run at
	// once. Default: as many as the process has processors (GOMAXPROCS).
	Pollers map[string]int
	// Hold is how long a job stays with this process after its last
	// heartbeat, one of which comes every third of it: what a crash costs in
	// time, against a write and a share of a call to SQS for each job and
	// heartbeat. LeastHold to MostHold; default DefaultHold.
	Hold time.Duration
	// Drain is how long handlers may go on when Poll is to end; a negative one
	// is no time at all. Default DefaultDrain, a little less than the
	// 30 seconds that containers are usually left between SIGTERM and SIGKILL.
	// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task_definition_parameters.html#container_definition_timeout
	Drain time.Duration
	// Busy is called when a batch has been received, and what it gives when its
	// messages are answered; by many goroutines. A local stack whose time is scaled
	// is told of the work so (settings.Reader.Busy). Default: nothing is called.
	Busy func() (done func())
}

// Poll takes messages from the worker's queues and runs their jobs until ctx ends,
// in a process of its own: a container, a virtual machine. It is what Lambda does
// with Invoke, with the same handlers, and for jobs that take longer (Queue.Polled).
//
// When ctx ends, nothing more is received and nothing more is started: messages
// whose jobs were not begun are visible again at once. Handlers have
// PollConfig.Drain to return; then their contexts end (ErrShutdown), and what they
// leave unfinished runs again at once elsewhere, with no attempt spent. Poll
// returns nil after that. A second signal is the caller's business:
//
//	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
//	defer stop()
//	context.AfterFunc(ctx, stop) // from then on a signal kills
//	err := w.Poll(ctx, worker.PollConfig{Receiver: sqs})
//
// A handler that ignores the end of its context ends the process, as in Lambda:
// Poll drains, writes the handler's failure down, and calls Config.Exit.
//
// Errors: mistakes in the configuration, and ErrStuck where Exit comes back.
func (w *Worker) Poll(ctx context.Context, config PollConfig) error {
	config, err := config.checked(w)
	if err != nil {
		return err
	}
	p := &poll{Worker: w, config: config}
	p.receiving, p.end = context.WithCancel(ctx)
	defer p.end()
	return p.run(context.WithoutCancel(ctx))
}

// checked gives the configuration with its defaults, or its mistakes.
func (c PollConfig) checked(w *Worker) (PollConfig, error) {
	var problems []error
	if c.Receiver == nil {
		problems = append(problems, errors.New("worker: Receiver is missing"))
	}
	pollers := map[string]int{}
	for _, s := range w.serving {
		pollers[s.Queue.Name] = runtime.GOMAXPROCS(0)
	}
	for name, n := range c.Pollers {
		if _, known := pollers[name]; !known || n < 1 {
			problems = append(problems, fmt.Errorf("worker: Pollers has %d for queue %q: name a queue of the worker's, and 1 at least", n, name))
		}
		pollers[name] = n
	}
	c.Pollers = pollers
	if c.Hold == 0 {
		c.Hold = DefaultHold
	}
	if c.Hold < LeastHold || c.Hold > MostHold {
		problems = append(problems, fmt.Errorf("worker: Hold is %v: it lies between %v and %v", c.Hold, LeastHold, MostHold))
	}
	if c.Drain == 0 {
		c.Drain = DefaultDrain
	}
	c.Drain = max(c.Drain, 0)
	if c.Busy == nil {
		c.Busy = func() func() { return func() {} }
	}
	return c, errors.Join(problems...)
}
