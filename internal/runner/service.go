package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/process"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// When the stack stops, workers have localDrain instead of what AWS would leave them,
// and whatever runs has localStop: somebody waits at the terminal. What is not done by
// then is done when the stack runs again.
const (
	localDrain = 2 * time.Second
	localStop  = 8 * time.Second
)

// A program is something that is built from a folder in functions.
type program struct {
	// ID is the logical id, Folder that in functions.
	ID, Folder string

	bootstrap string
}

// A task is what one process of a service is.
type task struct {
	program
	environment map[string]string
}

// A service is a number of processes that are kept running.
type service struct {
	task
	desired int

	mu      sync.Mutex
	running []*os.Process
	starts  int
}

// declareTask takes note of a task definition.
func (s *Stack) declareTask(r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.TaskDefinition
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	t := task{program: program{ID: r.ID, Folder: r.Folder()}, environment: map[string]string{}}
	if t.Folder == "" || len(declared.ContainerDefinitions) != 1 {
		return errors.New("a task that can be run here has one container, and metadata nightshift:function with the name of a folder in functions")
	}
	for _, variable := range declared.ContainerDefinitions[0].Environment {
		t.environment[variable.Name] = variable.Value
	}
	var err error
	if t.bootstrap, err = s.bootstrapPath(t.Folder); err != nil {
		return err
	}
	if s.tasks == nil {
		s.tasks = map[string]task{}
	}
	arn := fmt.Sprintf("arn:aws:ecs:%s:%s:task-definition/%s:1", s.config.Region, accountID, r.ID)
	s.tasks[arn] = t
	scope.Set(r.ID, "Ref", arn)
	scope.Set(r.ID, "TaskDefinitionArn", arn)
	return nil
}

// declareService takes note of a service.
func (s *Stack) declareService(r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Service
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	t, known := s.tasks[declared.TaskDefinition]
	if !known {
		return fmt.Errorf("the template has no task definition %q", declared.TaskDefinition)
	}
	t.ID = r.ID
	made := &service{task: t, desired: 1}
	if declared.DesiredCount != nil {
		made.desired = *declared.DesiredCount
	}
	s.services = append(s.services, made)
	name := cmp.Or(declared.ServiceName, r.ID)
	scope.Set(r.ID, "Name", name)
	scope.Set(r.ID, "Ref", fmt.Sprintf("arn:aws:ecs:%s:%s:service/nightshift/%s", s.config.Region, accountID, name))
	return nil
}

// keepServices starts the services' processes, to run until the stack closes.
func (s *Stack) keepServices(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var processes sync.WaitGroup
	for _, service := range s.services {
		s.watchQueues(service.environment)
		for range service.desired {
			processes.Go(func() {
				if err := process.Keep(ctx, s.processOf(service)); err != nil {
					s.config.Logger.Error("a service does not run", "service", service.Folder, "error", err)
				}
			})
		}
	}
	s.onClose(func() error {
		stop()
		processes.Wait()
		return nil
	})
}

func (s *Stack) processOf(service *service) process.Config {
	environment := map[string]string{"AWS_REGION": s.config.Region, "AWS_EXECUTION_ENV": "AWS_ECS_FARGATE"}
	maps.Copy(environment, service.environment)
	environment[settings.Drain] = localDrain.String()
	maps.Copy(environment, s.environment()) // the endpoint is the stack's, whatever the template says
	return process.Config{
		Name: service.Folder, Program: service.bootstrap, Environment: environment, TempDir: s.folder.temp(), Stop: localStop,
		Log:     func(line string) { s.functionLog(service.Folder, line) },
		Report:  func(message string) { s.config.Logger.Warn(message, "service", service.Folder) },
		Started: service.started,
	}
}

// started takes note of a process.
func (s *service) started(p *os.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(alive(s.running), p)
	s.starts++
}

// alive leaves out the processes that have ended and been waited for.
func alive(processes []*os.Process) []*os.Process {
	return slices.DeleteFunc(processes, func(p *os.Process) bool { return p.Signal(syscall.Signal(0)) != nil })
}

// living gives the processes that have not ended, those that began first first.
func (s *service) living() []*os.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = alive(s.running)
	return append([]*os.Process(nil), s.running...)
}

// serviceState tells of a service: how many processes it should have, how many live,
// and how many have been started so far.
type serviceState struct {
	ID      string `json:"id"`
	Folder  string `json:"folder"`
	Desired int    `json:"desired"`
	Running int    `json:"running"`
	Starts  int    `json:"starts"`
}

func (s *service) state() serviceState {
	running := len(s.living())
	s.mu.Lock()
	defer s.mu.Unlock()
	return serviceState{ID: s.ID, Folder: s.Folder, Desired: s.desired, Running: running, Starts: s.starts}
}

// kill ends one of the service's processes with SIGKILL; see Stack.Kill.
func (s *service) kill(choose func(n int) int) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = alive(s.running)
	if len(s.running) == 0 {
		return false, nil
	}
	at := choose(len(s.running))
	err := s.running[at].Kill()
	if err == nil || errors.Is(err, os.ErrProcessDone) {
		s.running = slices.Delete(s.running, at, at+1) // it lives no more, though it may not have been waited for
	}
	if errors.Is(err, os.ErrProcessDone) {
		return false, nil
	}
	return err == nil, err
}

// service finds a service by logical id or folder, or gives nil.
func (s *Stack) service(name string) *service {
	for _, service := range s.services {
		if name == service.ID || name == service.Folder {
			return service
		}
	}
	return nil
}
