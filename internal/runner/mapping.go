package runner

import (
	"context"
	"sync"

	"github.com/nightshift-go/nightshift/internal/localaws/lambda"
	"github.com/nightshift-go/nightshift/internal/runner/sqssource"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// A mapping polls for a function while it is enabled. Lambda's API changes it while it
// runs.
type mapping struct {
	uuid, source, function string

	run   source            // polls until its context ends
	queue *sqssource.Source // nil for a stream
	watch func(polls bool)  // is told whether a queue is polled; nil for a stream

	mu      sync.Mutex
	setting lambda.Setting
	turned  chan struct{} // closes when it is enabled or disabled
}

// declare makes a mapping known to Lambda's API, and sets it to what holds.
func (s *Stack) declare(m samtemplate.Mapping, f *function, made *mapping) error {
	setting := lambda.Setting{Enabled: m.Enabled == nil || *m.Enabled}
	details := map[string]any{"MaximumBatchingWindowInSeconds": m.MaximumBatchingWindowInSeconds}
	if c := m.ScalingConfig.MaximumConcurrency; c != nil {
		setting.MaximumConcurrency = *c
	}
	if m.BatchSize != nil {
		details["BatchSize"] = *m.BatchSize
	}
	if len(m.FunctionResponseTypes) > 0 {
		details["FunctionResponseTypes"] = m.FunctionResponseTypes
	}
	if s.endpoint != nil {
		var err error
		setting, err = s.endpoint.DeclareMapping(lambda.Mapping{
			UUID: made.uuid, EventSourceARN: m.EventSourceArn, FunctionARN: f.arn, Setting: setting, Details: details, Apply: made.apply,
		})
		if err != nil {
			return err
		}
	}
	made.apply(setting)
	s.mappings = append(s.mappings, made)
	return nil
}

// apply lets the mapping be as it is set.
func (m *mapping) apply(setting lambda.Setting) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if setting.Enabled != m.setting.Enabled {
		close(m.turned)
		m.turned = make(chan struct{})
	}
	m.setting = setting
	if m.queue != nil {
		m.queue.SetMaximumConcurrency(setting.MaximumConcurrency)
		m.watch(setting.Enabled)
	}
}

// enabled tells whether the mapping polls, and gives a channel that closes when that
// changes.
func (m *mapping) enabled() (bool, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.setting.Enabled, m.turned
}

// Run polls while the mapping is enabled, until ctx ends. What is under way when it is
// disabled is seen to its end, before which it does not poll again.
func (m *mapping) Run(ctx context.Context) {
	for ctx.Err() == nil {
		enabled, turned := m.enabled()
		if !enabled {
			select {
			case <-turned:
			case <-ctx.Done():
			}
			continue
		}
		polling, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-turned:
				stop()
			case <-polling.Done():
			}
		}()
		m.run(polling)
		stop()
	}
}

func (m *mapping) state() mappingState {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := mappingState{UUID: m.uuid, Source: m.source, Function: m.function, Enabled: m.setting.Enabled, MaximumConcurrency: m.setting.MaximumConcurrency}
	if m.queue != nil {
		state.Pollers = m.queue.Pollers()
	}
	return state
}
