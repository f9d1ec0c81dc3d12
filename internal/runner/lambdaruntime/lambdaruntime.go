// Package lambdaruntime runs a Lambda function's bootstrap as local processes
// and speaks the Lambda Runtime API with them.
//
// Each concurrent execution environment is one process with a Runtime API of its
// own on a loopback port. An environment serves one invocation at a time and
// goes back to the pool only when its process asks for the next one, because the
// invocation lasts until then: a process that panicked has already answered when
// it exits. Timeouts kill the process group; crashed environments are replaced.
//
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
package lambdaruntime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// Limits of Lambda, in bytes.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const (
	// MaxPayload bounds a synchronous request and a buffered response.
	MaxPayload = 6<<20 + 100
	// MaxAsyncPayload bounds an asynchronous request.
	MaxAsyncPayload = 1 << 20
	// MaxStreamed bounds a streamed response.
	MaxStreamed = 200 << 20
)

var (
	// ErrThrottled means that all environments the function may have are busy.
	ErrThrottled = errors.New("lambdaruntime: rate exceeded")
	// ErrTooLarge means that the request's payload is over Lambda's limit.
	ErrTooLarge = errors.New("lambdaruntime: the payload is over the limit")
	// ErrClosed means that the function has been closed.
	ErrClosed = errors.New("lambdaruntime: closed")
)

// Config describes a function.
type Config struct {
	// Name and ARN are the function's.
	Name, ARN string
	// Bootstrap is the path of the program to run.
	Bootstrap string
	// Handler is what _HANDLER carries; "" means "bootstrap".
	Handler string
	// Region is the AWS region; "" means us-east-1.
	Region string
	// Environment holds the function's own variables.
	Environment map[string]string
	// Timeout bounds an invocation; zero means 3 seconds.
	Timeout time.Duration
	// InitTimeout bounds the first phase of a process; zero means 10 seconds.
	InitTimeout time.Duration
	// TempDir is where the processes' temporary folders are made; "" means the
	// system's.
	TempDir string
	// IdleAfter is how long an environment waits for work before it is stopped;
	// zero means 5 minutes.
	IdleAfter time.Duration
	// MemoryMB is told to the function and not enforced; zero means 128.
	MemoryMB int
	// Concurrency bounds the environments; zero means 64.
	Concurrency int
	// AsyncRetries is how often a failed asynchronous invocation is repeated;
	// nil means 2.
	AsyncRetries *int
	// AsyncMaxAge bounds the age of an asynchronous event; zero means 6 hours.
	AsyncMaxAge time.Duration
	// Log takes what the processes write, line by line; nil drops it.
	Log func(line string)
	// Report takes what the runner itself has to say of the function: timeouts,
	// crashes, given up events; nil drops it.
	Report func(message string)
	// Clock is the clock of events and of the waits between asynchronous attempts; nil
	// means the machine's. Processes and their deadlines are always timed by the
	// machine's, whose pace the clock keeps while the function runs.
	Clock *clock.Clock
	// Sleep waits between asynchronous attempts in the place of Clock; nil means Clock
	// does. It returns early with the context's error.
	Sleep func(context.Context, time.Duration) error
}

// A Result is the answer to an invocation.
type Result struct {
	// RequestID is the invocation's id.
	RequestID string
	// Payload is what the function answered, or the error document.
	Payload []byte
	// FunctionError is "Unhandled" where the function failed, else "".
	FunctionError string

	reason string // what people should read of a failure that the runner found
}

// A Function is a pool of execution environments. Its methods are safe for
// concurrent use.
type Function struct {
	config Config
	ctx    context.Context
	cancel context.CancelFunc
	async  sync.WaitGroup

	mu     sync.Mutex
	idle   []*environment // most recently used last
	all    map[*environment]bool
	closed bool
	counts Stats
}

// Stats count what a function has done since it was made.
type Stats struct {
	// Invocations, Errors and Throttles are counted as Lambda's metrics are;
	// ColdStarts counts processes started.
	Invocations, Errors, Throttles, ColdStarts int
	// Environments and Idle are the processes that live now.
	Environments, Idle int
}

// New makes a function without starting a process.
func New(config Config) (*Function, error) {
	if config.Name == "" || config.Bootstrap == "" {
		return nil, errors.New("lambdaruntime: a function needs a name and a bootstrap")
	}
	if config.Timeout < 0 || config.Timeout > 15*time.Minute {
		return nil, fmt.Errorf("lambdaruntime: function %s: the timeout %s is not within 1s and 15m", config.Name, config.Timeout)
	}
	config.Handler = cmp.Or(config.Handler, "bootstrap")
	config.Region = cmp.Or(config.Region, "us-east-1")
	config.Timeout = cmp.Or(config.Timeout, 3*time.Second)
	config.InitTimeout = cmp.Or(config.InitTimeout, 10*time.Second)
	config.IdleAfter = cmp.Or(config.IdleAfter, 5*time.Minute)
	config.MemoryMB = cmp.Or(config.MemoryMB, 128)
	config.Concurrency = cmp.Or(config.Concurrency, 64)
	config.AsyncMaxAge = cmp.Or(config.AsyncMaxAge, 6*time.Hour)
	if config.AsyncRetries == nil {
		two := 2
		config.AsyncRetries = &two
	}
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Report == nil {
		config.Report = func(string) {}
	}
	if config.Sleep == nil {
		config.Sleep = config.Clock.Sleep
	}
	f := &Function{config: config, all: map[*environment]bool{}}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f, nil
}

// Name gives the function's name.
func (f *Function) Name() string { return f.config.Name }

// ARN gives the function's ARN.
func (f *Function) ARN() string { return f.config.ARN }

// Timeout gives the function's timeout.
func (f *Function) Timeout() time.Duration { return f.config.Timeout }

// Concurrency gives the greatest number of environments.
func (f *Function) Concurrency() int { return f.config.Concurrency }

// Stats gives the counts so far.
func (f *Function) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.counts
	s.Environments, s.Idle = len(f.all), len(f.idle)
	return s
}

// Close stops all processes (SIGTERM, and SIGKILL after 2 seconds) and waits for
// them and for asynchronous invocations under way, which are given up.
func (f *Function) Close() {
	f.mu.Lock()
	f.closed = true
	all := make([]*environment, 0, len(f.all))
	for e := range f.all {
		all = append(all, e)
	}
	f.idle = nil
	f.mu.Unlock()
	f.cancel()
	var stopping sync.WaitGroup
	for _, e := range all {
		stopping.Go(e.stop)
	}
	stopping.Wait()
	f.async.Wait()
}
