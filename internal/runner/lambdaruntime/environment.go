package lambdaruntime

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/lines"
)

// stopGrace is how long a process has between SIGTERM and SIGKILL.
const stopGrace = 2 * time.Second

// An environment is one process and the Runtime API that serves it.
type environment struct {
	function  *Function
	id        string
	server    *http.Server
	command   *exec.Cmd
	output    *lines.Writer
	folder    string // the process's TMPDIR
	idleTimer *time.Timer
	running   atomic.Pointer[os.Process] // set when the process has been started

	work   chan *invocation // taken by the process's /next
	ready  chan struct{}    // closed at the first /next
	exited chan struct{}    // closed when the process has been reaped

	mu       sync.Mutex
	current  *invocation
	initFail []byte // what the process told /init/error
	killed   bool
	started  bool
}

func newEnvironment(f *Function) *environment {
	return &environment{function: f, id: NewUUID(), work: make(chan *invocation), ready: make(chan struct{}), exited: make(chan struct{})}
}

// launch starts the Runtime API and the process. A failure leaves nothing
// behind.
func (e *environment) launch() (err error) {
	defer func() {
		if err != nil {
			close(e.exited)
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("lambdaruntime: listening for %s: %w", e.function.config.Name, err)
	}
	if e.folder, err = os.MkdirTemp(e.function.config.TempDir, "nightshift-lambda-"); err != nil {
		return errors.Join(fmt.Errorf("lambdaruntime: a folder for %s: %w", e.function.config.Name, err), listener.Close())
	}
	e.server = &http.Server{Handler: e.api(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = e.server.Serve(listener) }() // ends with ErrServerClosed when the environment does
	e.command = e.process(listener.Addr().String())
	if err := e.command.Start(); err != nil {
		return errors.Join(fmt.Errorf("lambdaruntime: starting %s: %w", e.function.config.Name, err), e.server.Close(), os.RemoveAll(e.folder))
	}
	e.running.Store(e.command.Process)
	go e.reap()
	return nil
}

// reap waits for the process, ends what it left undone and cleans up.
func (e *environment) reap() {
	err := e.command.Wait()
	// What the process started dies with it, as the sandbox does.
	_ = syscall.Kill(-e.command.Process.Pid, syscall.SIGKILL) // ESRCH: the group is empty
	e.output.Flush()
	e.function.forget(e)
	// Whoever waits for the process may end right after it: its folder goes first.
	if err := os.RemoveAll(e.folder); err != nil {
		e.function.config.Report("cleaning up after a process: " + err.Error())
	}
	close(e.exited)
	if err := e.server.Close(); err != nil {
		e.function.config.Report("cleaning up after a process: " + err.Error())
	}
	e.mu.Lock()
	unexpected := !e.killed && e.current == nil && e.started
	e.mu.Unlock()
	if unexpected {
		e.function.config.Report("an idle process ended: " + exitText(err))
	}
}

// signal sends a signal to the whole process group.
func (e *environment) signal(s syscall.Signal) {
	e.mu.Lock()
	e.killed = true
	e.mu.Unlock()
	if e.command == nil || e.command.Process == nil {
		return
	}
	if err := syscall.Kill(-e.command.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		e.function.config.Report(fmt.Sprintf("sending %s: %v", s, err))
	}
}

// kill ends the process at once and waits until it is gone.
func (e *environment) kill() {
	select {
	case <-e.exited: // its process id may belong to another by now
		return
	default:
	}
	e.signal(syscall.SIGKILL)
	<-e.exited
}

// stop asks the process to end and kills it when it does not.
func (e *environment) stop() {
	select {
	case <-e.exited:
		return
	default:
	}
	e.signal(syscall.SIGTERM)
	select {
	case <-e.exited:
	case <-time.After(stopGrace):
		e.kill()
	}
}

// awaitReady waits for the first /next. late tells that the time ran out.
func (e *environment) awaitReady(limit time.Duration, id string) (failure *Result, late bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-e.ready:
		return nil, false
	case <-timer.C:
		return nil, true
	case <-e.exited:
	}
	e.mu.Lock()
	told := e.initFail
	e.mu.Unlock()
	if told != nil {
		return &Result{Payload: told, FunctionError: "Unhandled"}, false
	}
	r := e.exitError(id)
	return &r, false
}

func (e *environment) exitError(id string) Result {
	return failed("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: %s", id, exitText(waitError(e.command))))
}

func waitError(c *exec.Cmd) error {
	if c.ProcessState == nil || c.ProcessState.Success() {
		return nil
	}
	return &exec.ExitError{ProcessState: c.ProcessState}
}

func exitText(err error) string {
	if err == nil {
		return "Runtime exited without providing a reason"
	}
	return "Runtime exited with error: " + err.Error()
}

// pollGrace is how long an answer is held back for the process's next poll, so
// that a caller who comes back at once finds the environment free and warm.
const pollGrace = 20 * time.Millisecond

// serve gives the invocation to the waiting process and sees it through to the
// process's next poll, its end or the deadline. false means that the process was
// gone before it took the invocation.
func (e *environment) serve(i *invocation) bool {
	select {
	case e.work <- i:
	case <-e.exited:
		return false
	}
	f := e.function
	deadline := time.NewTimer(time.Until(i.deadline))
	defer deadline.Stop()
	var answer *Result
	var grace <-chan time.Time
	for {
		select {
		case r := <-i.reported:
			answer, grace = &r, time.After(pollGrace)
		case <-grace:
			f.conclude(i, *answer)
		case <-i.next:
			f.release(e)
			f.conclude(i, i.outcome(answer, failed("Runtime.NoResponse", fmt.Sprintf("RequestId: %s Error: the runtime asked for more work without an answer", i.id))))
			return true
		case <-e.exited:
			f.fail(i, answer, e.exitError(i.id))
			return true
		case <-deadline.C:
			e.kill()
			f.fail(i, answer, timedOut(i.id, f.config.Timeout))
			return true
		}
	}
}
