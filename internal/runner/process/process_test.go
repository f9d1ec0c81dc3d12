package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/process"
)

// script writes a program. A child that is forked meanwhile would keep it open until its own
// program runs, and a file that is open for writing can't be run (ETXTBSY).
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A watched is a program that a test keeps running.
type watched struct {
	t      *testing.T
	said   chan string
	end    context.CancelFunc
	done   chan struct{}
	mu     sync.Mutex
	report []string
	waits  []time.Duration
	pids   []int
}

// keep runs a program; the waits before it is started again take no time, and are as
// many as most.
func keep(t *testing.T, body string, most int, change func(*process.Config)) *watched {
	t.Helper()
	w := &watched{t: t, said: make(chan string, 100), done: make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	w.end = end
	config := process.Config{
		Name: "program", Program: script(t, body), TempDir: t.TempDir(), Environment: map[string]string{"GREETING": "hello"},
		Log: func(line string) { w.said <- line },
		Report: func(message string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.report = append(w.report, message)
		},
		Started: func(p *os.Process) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.pids = append(w.pids, p.Pid)
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			w.waits = append(w.waits, d)
			enough := len(w.waits) >= most // the report has been made
			w.mu.Unlock()
			if enough {
				<-ctx.Done()
			}
			return ctx.Err()
		},
	}
	if change != nil {
		change(&config)
	}
	go func() {
		defer close(w.done)
		if err := process.Keep(ctx, config); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(w.stop)
	return w
}

func (w *watched) stop() {
	w.end()
	<-w.done
}

func (w *watched) await(want string) {
	w.t.Helper()
	select {
	case got := <-w.said:
		if got != want {
			w.t.Fatalf("it said %q, want %q", got, want)
		}
	case <-time.After(30 * time.Second):
		w.t.Fatalf("it did not say %q", want)
	}
}

func TestItIsStartedAgainAfterWaitsThatGrow(t *testing.T) {
	w := keep(t, `echo "$GREETING"; exit 3`, 8, nil)
	for range 8 {
		w.await("hello")
	}
	for len(w.reports()) < 8 {
		time.Sleep(time.Millisecond)
	}
	w.stop()
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(w.waits, want) {
		t.Errorf("the waits are %v, want %v", w.waits, want)
	}
	if len(w.report) != 8 || !strings.Contains(w.report[0], "exit status 3") || !strings.Contains(w.report[1], "again in 2s") {
		t.Errorf("reported is %q", w.report)
	}
}

func TestAKilledProcessIsReplaced(t *testing.T) {
	w := keep(t, `echo up; exec sleep 60`, 8, nil)
	w.await("up")
	pid := w.first()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.await("up")
	w.stop()
	if len(w.pids) != 2 || w.pids[0] == w.pids[1] || !strings.Contains(w.report[0], "killed") {
		t.Errorf("processes %v, reported is %q", w.pids, w.report)
	}
}

// It is asked to end, and has time to.
func TestItEndsByItself(t *testing.T) {
	w := keep(t, `trap 'echo drained; exit 0' TERM; echo up; while :; do sleep 0.05; done`, 1, nil)
	w.await("up")
	w.stop()
	w.await("drained")
	if len(w.report) != 0 || len(w.waits) != 0 {
		t.Errorf("reported is %q, waits %v", w.report, w.waits)
	}
}

// What does not end is killed, with all that it started.
func TestItIsKilledInTheEnd(t *testing.T) {
	w := keep(t, `trap '' TERM; sleep 60 & echo $!; echo up; while :; do sleep 0.05; done`, 1,
		func(c *process.Config) { c.Stop = 50 * time.Millisecond })
	child := <-w.said
	w.await("up")
	w.stop()
	if len(w.report) != 1 || !strings.Contains(w.report[0], "is killed") {
		t.Errorf("reported is %q", w.report)
	}
	if _, err := os.Stat("/proc/self"); err == nil && isRunning(child) {
		t.Errorf("what it started still runs: %s", child)
	}
}

// isRunning tells whether a process is there that is no zombie.
func isRunning(pid string) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(status), ") Z ") {
			return false
		}
	}
	return true
}

func TestAProgramThatIsNotThereIsTriedAgain(t *testing.T) {
	w := keep(t, ``, 2, func(c *process.Config) { c.Program += "-missing" })
	for len(w.reports()) < 2 {
		time.Sleep(time.Millisecond)
	}
	w.stop()
	if !strings.Contains(w.report[0], "no such file") {
		t.Errorf("reported is %q", w.report)
	}
	if err := process.Keep(t.Context(), process.Config{Name: "x"}); err == nil {
		t.Error("a program without a path is kept running")
	}
}

// first gives the id of the first process, of which it may be heard before its id.
func (w *watched) first() int {
	for ; ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		pids := w.pids
		w.mu.Unlock()
		if len(pids) > 0 {
			return pids[0]
		}
	}
}

func (w *watched) reports() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.report)
}

func TestNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	w := keep(t, `echo "$TMPDIR"; touch "$TMPDIR/x"; exec sleep 60`, 1, func(c *process.Config) { c.TempDir = folder })
	if own := <-w.said; filepath.Dir(own) != folder {
		t.Errorf("its folder is %s", own)
	}
	w.stop()
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := process.Keep(ended, process.Config{Name: "x", Program: script(t, "exit 1"), Started: func(*os.Process) { t.Error("it was started") }}); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
