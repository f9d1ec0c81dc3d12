// Package runner runs on one machine what a SAM template declares: the AWS
// endpoint, its resources, the functions as processes and the event sources in
// front of them.
//
// With Config.Endpoint another AWS endpoint takes the place of the built-in one.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
	"github.com/nightshift-go/nightshift/internal/standing"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// InMemory as Config.DataDir keeps nothing.
const InMemory = ":memory:"

// accountID is the account of everything local.
const accountID = "000000000000"

// stopGrace is how long batches under way may take when the stack stops.
const stopGrace = 3 * time.Second

// Config sets a stack up. The zero value of each field but Template has a
// meaning.
type Config struct {
	// Template is the path of template.yaml. Required. Functions' sources are
	// at functions/NAME beside it.
	Template string
	// DataDir is where the stack keeps its data; "" or InMemory keeps nothing.
	DataDir string
	// HTTPAddr and AWSAddr are where to listen; "" means a free loopback port.
	HTTPAddr, AWSAddr string
	// AllowRemote permits addresses that other machines can reach.
	AllowRemote bool
	// Endpoint is the URL of an AWS endpoint to use instead of the built-in one.
	Endpoint string
	// Region is the AWS region; "" means us-east-1.
	Region string
	// Parameters are values for the template's parameters.
	Parameters map[string]string
	// Environment is for all functions and services, besides what the template and
	// the stack give them.
	Environment map[string]string
	// BuildDir holds NAME/bootstrap of each function; "" means dist/local beside
	// the template.
	BuildDir string
	// Prebuilt takes what is in BuildDir instead of building it.
	Prebuilt bool
	// Only names the one function that will be invoked, by Invoke: no other is
	// built. It goes with WithoutSources. A name that the template does not have
	// is ErrNoFunction.
	Only string
	// Concurrency bounds the environments of each function; zero means 64.
	Concurrency int
	// Workers bounds the concurrent batches of each queue; zero means twice the
	// number of processors, at least 4.
	Workers int
	// StreamPoll is the wait between reads of an empty stream; zero means
	// 250 ms, as in AWS.
	StreamPoll time.Duration
	// WithoutSources leaves queues, streams and schedules unpolled: services do not
	// run.
	WithoutSources bool
	// Tasks declare the queues whose bounds the stack's page shows; none: no bounds.
	Tasks []job.Defined
	// Logger takes what the stack has to say; nil drops it.
	Logger *slog.Logger
	// FunctionLog takes what functions write, line by line, but for metrics, which go
	// to the built-in endpoint as CloudWatch takes them from a log; nil sends it to
	// Logger. It is called concurrently.
	FunctionLog func(function, line string)
	// Local adjusts the built-in endpoint; its Dir, Region, AccountID, Secret,
	// Clock, Ready, Invoke and HoldSchedules are overwritten.
	Local localaws.Config
	// TimeScale is how many times as fast as the machine's the stack's time passes while
	// nobody works; 1 to clock.MaxScale, zero means 1. It takes the built-in endpoint.
	TimeScale float64
	// Now is the clock in the place of the stack's; nil means the stack's.
	Now func() time.Time
	// Sleep waits between occurrences of schedules, by that clock; nil means by the
	// stack's.
	Sleep func(context.Context, time.Duration) error
}

// A Stack runs. Its methods are safe for concurrent use.
type Stack struct {
	config    Config
	template  *samtemplate.Template
	folder    *folder
	clients   clients
	clock     *clock.Clock     // nil where it is the machine's
	endpoint  *localaws.Server // nil with another one
	ready     readiness
	functions []*function
	tasks     map[string]task // by ARN
	services  []*service
	queues    []*queue
	// subscriptions of the template, by ARN
	subscriptions []string
	mappings      []*mapping
	schedules     []running
	topics        []topicState
	board         func() (*standing.Board, error) // made when somebody looks

	httpURL, awsURL string

	sources sync.WaitGroup
	cancel  context.CancelFunc
	closers []func() error // run last to first
	once    sync.Once
	closed  error
}

// Start brings a stack up and returns when it serves. ctx bounds the start only.
func Start(ctx context.Context, config Config) (*Stack, error) {
	config.DataDir = cmp.Or(config.DataDir, InMemory)
	config.HTTPAddr = cmp.Or(config.HTTPAddr, "127.0.0.1:0")
	config.AWSAddr = cmp.Or(config.AWSAddr, "127.0.0.1:0")
	config.Region = cmp.Or(config.Region, "us-east-1")
	config.Workers = cmp.Or(config.Workers, defaultWorkers())
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.FunctionLog == nil {
		config.FunctionLog = func(function, line string) { config.Logger.Info(line, "function", function) }
	}
	template, err := samtemplate.ParseFile(config.Template)
	if err != nil {
		return nil, fmt.Errorf("runner: %w", err)
	}
	for _, w := range template.Warnings {
		config.Logger.Warn(w.Error(), "template", config.Template)
	}
	s := &Stack{config: config, template: template}
	s.board = sync.OnceValues(s.newBoard)
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("runner: %w", err), s.Close())
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context) error {
	background, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	folder, err := openFolder(s.config.DataDir)
	if err != nil {
		return err
	}
	s.folder = folder
	s.onClose(folder.close)
	front, err := s.listen(s.config.HTTPAddr)
	if err != nil {
		return err
	}
	s.onClose(func() error { return ignoreClosed(front.Close()) })
	s.httpURL = urlOf(front)
	started, err := s.startClock()
	if err != nil {
		return err
	}
	defer started()
	if err := s.startEndpoint(); err != nil {
		return err
	}
	scope, err := s.provision(ctx)
	if err != nil {
		return err
	}
	s.onClose(s.closeFunctions)
	if err := s.build(ctx); err != nil {
		return err
	}
	wiring, err := s.template.Wiring(scope)
	if err != nil {
		return err
	}
	sources, err := s.wire(wiring)
	if err != nil {
		return err
	}
	api, err := s.front(wiring)
	if err != nil {
		return err
	}
	s.serve(front, api)
	s.onClose(func() error { return s.stopSources(cancel) })
	if !s.config.WithoutSources {
		for _, run := range sources {
			s.sources.Go(func() { run(background) })
		}
		if err := s.fireSchedules(); err != nil {
			return err
		}
		s.keepServices(background)
	}
	return folder.writeState(s.found())
}

// HTTPURL is the address of the HTTP API: "http://127.0.0.1:8080".
func (s *Stack) HTTPURL() string { return s.httpURL }

// Clock is the stack's time. Who acts at certain times waits by it: a clock that
// flies lands where somebody waits.
func (s *Stack) Clock() *clock.Clock { return s.clock }

// AWSURL is the address of the AWS endpoint.
func (s *Stack) AWSURL() string { return s.awsURL }

// Close stops everything: requests and batches under way have a moment to end,
// then no process of the stack is left. It can be called twice.
func (s *Stack) Close() error {
	s.once.Do(func() {
		if s.cancel != nil {
			defer s.cancel()
		}
		s.clock.Hold() // what ends, ends at the machine's pace
		var errs []error
		for i := len(s.closers) - 1; i >= 0; i-- {
			errs = append(errs, s.closers[i]())
		}
		s.closed = errors.Join(errs...)
	})
	return s.closed
}

func (s *Stack) onClose(f func() error) { s.closers = append(s.closers, f) }

// stopSources lets batches under way end for a moment, then ends the functions
// that they wait for.
func (s *Stack) stopSources(cancel context.CancelFunc) error {
	cancel()
	done := make(chan struct{})
	go func() {
		s.sources.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(stopGrace):
	}
	err := s.closeFunctions()
	<-done
	return err
}

func (s *Stack) closeFunctions() error {
	var all sync.WaitGroup
	for _, f := range s.functions {
		if f.Function != nil {
			all.Go(f.Close)
		}
	}
	all.Wait()
	return nil
}

// startEndpoint starts the built-in AWS endpoint, unless there is another.
func (s *Stack) startEndpoint() error {
	if s.config.Endpoint != "" {
		s.awsURL = s.config.Endpoint
		s.clients = newClients(s.awsURL, s.config.Region)
		return nil
	}
	listener, err := s.listen(s.config.AWSAddr)
	if err != nil {
		return err
	}
	local := s.config.Local
	local.Dir, local.Region, local.AccountID = filepath.Join(s.folder.path, "aws"), s.config.Region, accountID
	_, local.Secret, _ = keys() // what functions presign with
	if local.Logger == nil {
		local.Logger = s.config.Logger
	}
	if local.Now == nil {
		local.Now = s.config.Now
	}
	local.Clock, local.Ready = s.clock, nil
	if s.clock != nil {
		local.Ready, local.Written = s.ready.tell, s.ready.written
	}
	if local.Sleep == nil {
		local.Sleep = s.config.Sleep
	}
	local.Invoke, local.HoldSchedules = s.invokeScheduled, true
	endpoint, err := localaws.New(local)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s.endpoint = endpoint
	s.onClose(endpoint.Close)
	s.serve(listener, endpoint)
	s.awsURL = urlOf(listener)
	s.clients = newClients(s.awsURL, s.config.Region)
	return nil
}

// serve answers on a listener until the stack closes.
func (s *Stack) serve(listener net.Listener, h http.Handler) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug)}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.config.Logger.Error("serving ended", "address", listener.Addr().String(), "error", err)
		}
	}()
	s.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err := server.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		<-stopped
		return err
	})
}
