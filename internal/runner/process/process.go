// Package process keeps a program running, as a container service does: it is started
// again when it ends, after a wait that grows, and asked to end with SIGTERM.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/lines"
)

// Waits before a program is started again: the first, the longest, and how long it
// must have lived for the next wait to be the first again.
const (
	FirstWait   = time.Second
	LongestWait = time.Minute
	stayedUp    = time.Minute
)

// DefaultStop is how long a program may take to end after SIGTERM; ECS allows as much.
const DefaultStop = 30 * time.Second

// Config describes a program.
type Config struct {
	// Name is for messages. Program is the path of what is run. Both are required.
	Name, Program string
	// Environment holds all of the program's variables but those that have to do
	// with where it runs.
	Environment map[string]string
	// TempDir is where its temporary folders are made; "" means the system's.
	TempDir string
	// Stop is how long it may take to end after SIGTERM; zero means DefaultStop.
	Stop time.Duration
	// Log takes what it writes, line by line; nil drops it.
	Log func(line string)
	// Report takes what there is to say of it: that it ended, and how; nil drops it.
	Report func(message string)
	// Started is called with each process; nil does nothing.
	Started func(*os.Process)
	// Sleep waits before it is started again, and returns early with the context's
	// error; nil means a timer.
	Sleep func(context.Context, time.Duration) error
}

// Keep runs the program until ctx ends, and then asks it to end, and waits until it
// is gone. The error is that the configuration lacks something: a program that can't
// be started is reported, and tried again.
func Keep(ctx context.Context, config Config) error {
	if config.Name == "" || config.Program == "" {
		return errors.New("process: a program needs a name and a path")
	}
	config.Stop = cmp.Or(config.Stop, DefaultStop)
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Report == nil {
		config.Report = func(string) {}
	}
	if config.Started == nil {
		config.Started = func(*os.Process) {}
	}
	if config.Sleep == nil {
		config.Sleep = clock.Sleep
	}
	// A process may be told of its parent's death by the end of the thread that
	// started it: the thread is to last as long as the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for wait := FirstWait; ctx.Err() == nil; wait = min(2*wait, LongestWait) {
		began := time.Now()
		err := config.once(ctx)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) >= stayedUp {
			wait = FirstWait
		}
		config.Report(fmt.Sprintf("it %s; it is started again in %v", ending(err), wait))
		if config.Sleep(ctx, wait) != nil {
			break
		}
	}
	return nil
}

func ending(err error) string {
	if err == nil {
		return "ended by itself"
	}
	return "ended: " + err.Error()
}

// once runs the program until it ends or, asked to by ctx, is gone.
func (c Config) once(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp(c.TempDir, "nightshift-process-")
	if err != nil {
		return fmt.Errorf("process: a folder for %s: %w", c.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	output := lines.NewWriter(c.Log)
	defer output.Flush()
	command := c.command(folder)
	command.Stdout, command.Stderr = output, output
	if err := command.Start(); err != nil {
		return fmt.Errorf("process: starting %s: %w", c.Name, err)
	}
	c.Started(command.Process)
	ended := make(chan struct{})
	stopping := make(chan struct{})
	go func() {
		defer close(stopping)
		c.stop(ctx, command.Process, ended)
	}()
	err = command.Wait()
	close(ended)
	<-stopping
	// What the program started dies with it, as the container does.
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // ESRCH: the group is empty
	return err
}

// stop asks the program to end when ctx does, and kills it when it takes too long,
// with all that it started. It alone is asked, as the first process of a container is.
func (c Config) stop(ctx context.Context, p *os.Process, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	_ = p.Signal(syscall.SIGTERM) // os.ErrProcessDone: it has just ended
	timer := time.NewTimer(c.Stop)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		c.Report(fmt.Sprintf("it did not end within %v and is killed", c.Stop))
		_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // ESRCH: it has just ended
	}
}

// command prepares the program. Nothing of the runner's own environment reaches it
// but what Config names.
func (c Config) command(folder string) *exec.Cmd {
	command := exec.Command(c.Program)
	command.Dir = filepath.Dir(c.Program)
	command.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=en_US.UTF-8", "TZ=:UTC", "TMPDIR=" + folder, "HOME=" + folder}
	for name, value := range c.Environment {
		command.Env = append(command.Env, name+"="+value)
	}
	command.SysProcAttr = attributes()
	// Pipes that a grandchild still holds do not keep Wait waiting.
	command.WaitDelay = time.Second
	return command
}
