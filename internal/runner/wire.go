package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/filter"
	"github.com/nightshift-go/nightshift/internal/runner/httpfront"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/sqssource"
	"github.com/nightshift-go/nightshift/internal/runner/streamsource"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// A source runs until its context ends.
type source func(context.Context)

// wire makes the functions and everything that invokes them. The error joins
// all mistakes.
func (s *Stack) wire(w *samtemplate.Wiring) ([]source, error) {
	var errs []error
	for _, f := range s.functions {
		errs = append(errs, s.makeFunction(f, w.Async))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var sources []source
	for _, m := range w.Mappings {
		run, err := s.mapping(m)
		if err != nil {
			errs = append(errs, fmt.Errorf("the event source mapping %s: %w", m.ID, err))
		} else if run != nil {
			sources = append(sources, run)
		}
	}
	for _, schedule := range w.Schedules {
		run, err := s.schedule(schedule)
		if err != nil {
			errs = append(errs, err)
		} else if run != nil {
			sources = append(sources, run)
		}
	}
	return sources, errors.Join(errs...)
}

func (s *Stack) makeFunction(f *function, async []samtemplate.AsyncSettings) error {
	environment := map[string]string{}
	maps.Copy(environment, f.settings.Environment.Variables)
	maps.Copy(environment, s.environment()) // the endpoint is the stack's, whatever the template says
	config := lambdaruntime.Config{
		Name: f.name, ARN: f.arn, Bootstrap: f.bootstrap, Handler: f.settings.Handler, Region: s.config.Region, Environment: environment,
		Timeout: time.Duration(f.settings.Timeout) * time.Second, MemoryMB: f.settings.MemorySize, Concurrency: cmp.Or(s.config.Concurrency, 64),
		TempDir: s.folder.temp(), Clock: s.clock,
		Log:    func(line string) { s.functionLog(f.Folder, line) },
		Report: func(message string) { s.config.Logger.Warn(message, "function", f.Folder) },
	}
	if reserved := f.settings.ReservedConcurrentExecutions; reserved != nil {
		config.Concurrency = min(config.Concurrency, max(*reserved, 1))
	}
	for _, a := range async {
		if a.FunctionName != f.name && a.FunctionName != f.arn {
			continue
		}
		config.AsyncRetries = a.MaximumRetryAttempts
		if a.MaximumEventAgeInSeconds != nil {
			config.AsyncMaxAge = time.Duration(*a.MaximumEventAgeInSeconds) * time.Second
		}
	}
	var err error
	f.Function, err = lambdaruntime.New(config)
	return err
}

// mapping makes the source of an event source mapping.
func (s *Stack) mapping(m samtemplate.Mapping) (source, error) {
	f := s.function(m.FunctionName)
	if f == nil {
		return nil, fmt.Errorf("the template has no function %q", m.FunctionName)
	}
	var patterns []string
	for _, p := range m.FilterCriteria.Filters {
		patterns = append(patterns, p.Pattern)
	}
	compiled, err := filter.Compile(patterns)
	if err != nil {
		return nil, err
	}
	log := func(message string) { s.config.Logger.Warn(message, "mapping", m.ID) }
	made := &mapping{uuid: mappingUUID(m.ID), source: m.EventSourceArn, function: f.Folder, turned: make(chan struct{})}
	if strings.HasPrefix(m.EventSourceArn, "arn:aws:dynamodb:") {
		made.run, err = s.streamMapping(m, f, compiled, log)
	} else {
		err = s.queueMapping(m, f, compiled, log, made)
	}
	if err != nil {
		return nil, err
	}
	return made.Run, s.declare(m, f, made)
}

// queueMapping makes the poller of a queue.
func (s *Stack) queueMapping(m samtemplate.Mapping, f *function, compiled *filter.Filter, log func(string), made *mapping) error {
	q := s.queueByARN(m.EventSourceArn)
	if q == nil {
		return fmt.Errorf("the template has no queue or stream %q", m.EventSourceArn)
	}
	config := sqssource.Config{
		QueueURL: q.url, QueueARN: q.arn, FIFO: q.fifo, Region: s.config.Region,
		Visibility: q.visibility, MaxReceiveCount: q.maxReceiveCount, FunctionTimeout: f.Timeout(),
		Window: time.Duration(m.MaximumBatchingWindowInSeconds) * time.Second, Workers: s.config.Workers,
		ReportBatchItemFailures: slices.Contains(m.FunctionResponseTypes, "ReportBatchItemFailures"), Filter: compiled, Log: log, Clock: s.clock, Now: s.config.Now,
	}
	config.Received = func() { s.ready.handed(q.arn) }
	if m.BatchSize != nil {
		config.BatchSize = *m.BatchSize
	}
	if c := m.ScalingConfig.MaximumConcurrency; c != nil {
		config.MaximumConcurrency = *c
	}
	run, err := sqssource.New(config, s.clients.sqs, f)
	if err != nil {
		return err
	}
	made.run, made.queue = run.Run, run
	made.watch = func(polls bool) {
		switch {
		case s.config.WithoutSources:
		case polls:
			s.ready.watch(q.arn)
		default:
			s.ready.ignore(q.arn)
		}
	}
	return nil
}

func (s *Stack) streamMapping(m samtemplate.Mapping, f *function, compiled *filter.Filter, log func(string)) (source, error) {
	destination, err := s.destination(m.DestinationConfig.OnFailure.Destination)
	if err != nil {
		return nil, err
	}
	config := streamsource.Config{
		UUID: mappingUUID(m.ID), StreamARN: m.EventSourceArn, FunctionARN: f.arn, Region: s.config.Region, StartingPosition: m.StartingPosition,
		Window: time.Duration(m.MaximumBatchingWindowInSeconds) * time.Second, ParallelizationFactor: m.ParallelizationFactor,
		BisectOnError: m.BisectBatchOnFunctionError, MaximumRetryAttempts: m.MaximumRetryAttempts,
		ReportBatchItemFailures: slices.Contains(m.FunctionResponseTypes, "ReportBatchItemFailures"), Filter: compiled,
		OnFailure: destination, PollInterval: s.config.StreamPoll, Log: log, Clock: s.clock, Now: s.config.Now,
	}
	if s.clock != nil {
		config.Changed = s.endpoint.Changed
	}
	if m.BatchSize != nil {
		config.BatchSize = *m.BatchSize
	}
	if age := m.MaximumRecordAgeInSeconds; age != nil && *age != -1 {
		config.MaximumRecordAge = time.Duration(*age) * time.Second
	}
	run, err := streamsource.New(config, s.clients.streams, f, s.folder)
	if err != nil {
		return nil, err
	}
	s.ready.reads(run.Stir)
	return run.Run, nil
}

// destination makes an on-failure destination of an ARN; nil without one.
func (s *Stack) destination(arn string) (streamsource.Destination, error) {
	if arn == "" {
		return nil, nil
	}
	if bucket, ok := strings.CutPrefix(arn, "arn:aws:s3:::"); ok {
		return streamsource.Bucket{Client: s.clients.s3, Name: bucket}, nil
	}
	for _, q := range s.queues {
		if q.arn == arn {
			return streamsource.Queue{Client: s.clients.sqs, URL: q.url}, nil
		}
	}
	return nil, fmt.Errorf("the on-failure destination %s is neither a bucket nor a queue of the template", arn)
}

// mappingUUID gives a mapping the same id at every start.
func mappingUUID(id string) string {
	h := sha256.Sum256([]byte("nightshift mapping " + id))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80 // RFC 9562, version 8: made by own rules
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// front makes the HTTP API with the stack's own pages beside it.
func (s *Stack) front(w *samtemplate.Wiring) (http.Handler, error) {
	config := httpfront.Config{
		APIID: strings.ToLower(w.API), AccountID: accountID, Now: s.config.Now,
		Log: func(message string) { s.config.Logger.Warn(message) },
	}
	if w.CORS != nil {
		cors := httpfront.CORS(*w.CORS)
		config.CORS = &cors
	}
	var errs []error
	for _, r := range w.Routes {
		f := s.function(r.Function)
		if f == nil {
			errs = append(errs, fmt.Errorf("the route %q: the template has no function %q", r.Key, r.Function))
			continue
		}
		config.Routes = append(config.Routes, httpfront.Route{Key: r.Key, Function: f, Timeout: time.Duration(r.TimeoutMillis) * time.Millisecond})
	}
	api, err := httpfront.New(config)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(controlPath, s.control())
	return exceptControl(mux, s.working(api)), nil
}
