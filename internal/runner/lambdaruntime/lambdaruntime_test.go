package lambdaruntime

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var bootstrap string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "lambdaruntime")
	if err != nil {
		panic(err)
	}
	bootstrap = filepath.Join(folder, "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", bootstrap, "./testdata/functions/behave")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

type answer struct {
	PID, Count           int
	Function, ARN, Trace string
	Deadline             int64
	Variable, ErrorType  string
	ErrorMessage, Pad    string
	FunctionError        string `json:"-"`
}

func function(t *testing.T, change func(*Config)) *Function {
	t.Helper()
	c := Config{Name: "behave", ARN: "arn:aws:lambda:us-east-1:000000000000:function:behave", Bootstrap: bootstrap, Timeout: 10 * time.Second}
	if change != nil {
		change(&c)
	}
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// invoke invokes a function, and waits until its process is free again or gone: on a
// machine with other things to do that may be later than the answer.
func invoke(t *testing.T, f *Function, payload string) answer {
	t.Helper()
	r, err := f.Invoke(t.Context(), []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(r.Payload, &a); err != nil {
		t.Fatalf("%s: %v", r.Payload, err)
	}
	a.FunctionError = r.FunctionError
	for s := f.Stats(); s.Environments > 0 && s.Idle == 0; s = f.Stats() {
		time.Sleep(time.Millisecond)
	}
	return a
}

func TestWarmEnvironmentIsUsedAgain(t *testing.T) {
	f := function(t, func(c *Config) { c.Environment = map[string]string{"VARIABLE": "value"} })
	first := invoke(t, f, `{}`)
	second := invoke(t, f, `{}`)
	if first.PID != second.PID || second.Count != 2 {
		t.Errorf("want one process for both, got %+v and %+v", first, second)
	}
	if first.Function != "behave" || first.ARN != f.ARN() || first.Variable != "value" {
		t.Errorf("the function saw %+v", first)
	}
	if !strings.HasPrefix(first.Trace, "Root=1-") || first.Trace == second.Trace {
		t.Errorf("traces %q and %q", first.Trace, second.Trace)
	}
	if first.Deadline < 5000 || first.Deadline > 10000 {
		t.Errorf("%d ms to the deadline, want nearly 10000", first.Deadline)
	}
	if s := f.Stats(); s.ColdStarts != 1 || s.Invocations != 2 || s.Idle != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestFunctionErrorKeepsTheProcess(t *testing.T) {
	f := function(t, nil)
	before := invoke(t, f, `{}`)
	failed := invoke(t, f, `{"Do":"fail"}`)
	after := invoke(t, f, `{}`)
	if failed.FunctionError != "Unhandled" || failed.ErrorMessage != "it failed" {
		t.Errorf("got %+v", failed)
	}
	if before.PID != after.PID {
		t.Error("a function error cost the process")
	}
}

func TestStreamedResponses(t *testing.T) {
	f := function(t, nil)
	if got := invoke(t, f, `{"Do":"stream"}`); got.FunctionError != "" || got.Variable != "streamed" {
		t.Errorf("got %+v", got)
	}
	if got := invoke(t, f, `{"Do":"break"}`); got.FunctionError != "Unhandled" || got.ErrorMessage != "it broke off" {
		t.Errorf("a stream that breaks off: %+v", got)
	}
}

func TestDeadProcessIsReplaced(t *testing.T) {
	for _, c := range []struct{ do, kind, message string }{
		{"panic", "string", "it panicked"},
		{"exit", "Runtime.ExitError", "Runtime exited with error: exit status 7"},
	} {
		t.Run(c.do, func(t *testing.T) {
			f := function(t, func(c *Config) { c.Concurrency = 1 })
			before := invoke(t, f, `{}`)
			failed := invoke(t, f, `{"Do":"`+c.do+`"}`)
			if failed.FunctionError != "Unhandled" || failed.ErrorType != c.kind || !strings.Contains(failed.ErrorMessage, c.message) {
				t.Errorf("got %+v", failed)
			}
			after := invoke(t, f, `{}`)
			if after.FunctionError != "" || after.PID == before.PID || after.Count != 1 {
				t.Errorf("the next event got %+v after %+v", after, before)
			}
		})
	}
}

func TestTimeoutKillsAndTheNextGetsAFreshProcess(t *testing.T) {
	f := function(t, func(c *Config) { c.Timeout = 3 * time.Second })
	before := invoke(t, f, `{}`)
	start := time.Now()
	late := invoke(t, f, `{"Sleep":30000}`)
	if late.ErrorType != "Sandbox.Timedout" || !strings.Contains(late.ErrorMessage, "Task timed out after 3.00 seconds") {
		t.Errorf("got %+v", late)
	}
	if took := time.Since(start); took < 2900*time.Millisecond || took > 25*time.Second {
		t.Errorf("took %s", took)
	}
	if err := syscall.Kill(before.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process lives: %v", err)
	}
	if after := invoke(t, f, `{}`); after.Count != 1 {
		t.Errorf("the next event got %+v", after)
	}
}

func TestConcurrencyLimitThrottles(t *testing.T) {
	f := function(t, func(c *Config) { c.Concurrency = 2 })
	var wait sync.WaitGroup
	var mu sync.Mutex
	pids, throttled := map[int]bool{}, 0
	for range 5 {
		wait.Go(func() {
			r, err := f.Invoke(context.Background(), []byte(`{"Sleep":3000}`))
			var a answer
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, ErrThrottled) {
				throttled++
			} else if err := errors.Join(err, json.Unmarshal(r.Payload, &a)); err != nil {
				t.Error(err)
			}
			if a.PID != 0 {
				pids[a.PID] = true
			}
		})
	}
	wait.Wait()
	if len(pids) != 2 || throttled != 3 {
		t.Errorf("%d processes and %d throttles, want 2 and 3", len(pids), throttled)
	}
}

func TestInitFailures(t *testing.T) {
	t.Run("exit", func(t *testing.T) {
		f := function(t, func(c *Config) { c.Environment = map[string]string{"INIT": "exit"} })
		if got := invoke(t, f, `{}`); got.ErrorType != "Runtime.ExitError" || !strings.Contains(got.ErrorMessage, "exit status 3") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("too slow", func(t *testing.T) {
		f := function(t, func(c *Config) {
			c.Environment = map[string]string{"INIT": "sleep"}
			c.InitTimeout, c.Timeout = 300*time.Millisecond, time.Second
		})
		if got := invoke(t, f, `{}`); got.ErrorType != "Sandbox.Timedout" {
			t.Errorf("got %+v", got)
		}
		if s := f.Stats(); s.ColdStarts != 2 || s.Environments != 0 {
			t.Errorf("init is tried twice and nothing stays; got %+v", s)
		}
	})
	t.Run("no program", func(t *testing.T) {
		f := function(t, func(c *Config) { c.Bootstrap = filepath.Join(t.TempDir(), "bootstrap") })
		if _, err := f.Invoke(t.Context(), nil); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
}

func TestPayloadLimits(t *testing.T) {
	f := function(t, nil)
	if _, err := f.Invoke(t.Context(), make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large request: %v", err)
	}
	if err := f.InvokeAsync(make([]byte, MaxAsyncPayload+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large event: %v", err)
	}
	if got := invoke(t, f, `{"Size":7000000}`); got.ErrorType != "Function.ResponseSizeTooLarge" {
		t.Errorf("a large response: %q %q", got.ErrorType, got.ErrorMessage)
	}
	if got := invoke(t, f, `{"Size":6000000}`); got.FunctionError != "" {
		t.Errorf("a response within the limit: %+v", got.ErrorMessage)
	}
}

func TestAsyncRetriesTwiceAndLogsLines(t *testing.T) {
	var mu sync.Mutex
	var lines, waits []string
	gaveUp := make(chan string, 1)
	f := function(t, func(c *Config) {
		c.Log = func(line string) { mu.Lock(); lines = append(lines, line); mu.Unlock() }
		c.Report = func(m string) { gaveUp <- m }
		c.Sleep = func(_ context.Context, d time.Duration) error {
			mu.Lock()
			waits = append(waits, d.String())
			mu.Unlock()
			return nil
		}
	})
	if err := f.InvokeAsync([]byte(`{"Do":"fail"}`)); err != nil {
		t.Fatal(err)
	}
	if m := <-gaveUp; !strings.Contains(m, "3 attempts") {
		t.Errorf("reported %q", m)
	}
	f.Close()
	if got := strings.Join(waits, " "); got != "1m0s 2m0s" {
		t.Errorf("waited %s", got)
	}
	if got := strings.Count(strings.Join(lines, "\n"), `doing "fail"`); got != 3 {
		t.Errorf("%d log lines of 3: %q", got, lines)
	}
}

func TestIdleEnvironmentsStopAndCloseLeavesNothing(t *testing.T) {
	f := function(t, func(c *Config) { c.IdleAfter = 50 * time.Millisecond })
	a := invoke(t, f, `{}`)
	for deadline := time.Now().Add(time.Minute); f.Stats().Environments > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the idle environment stays")
		}
	}
	if err := syscall.Kill(a.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process lives: %v", err)
	}
	g := function(t, nil)
	b := invoke(t, g, `{}`)
	g.Close()
	if err := syscall.Kill(b.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process lives after Close: %v", err)
	}
	if _, err := g.Invoke(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestProcessThatIgnoresSIGTERMIsKilled(t *testing.T) {
	f := function(t, func(c *Config) { c.Environment = map[string]string{"INIT": "stay"} })
	a := invoke(t, f, `{}`)
	start := time.Now()
	f.Close()
	if took := time.Since(start); took < stopGrace {
		t.Errorf("Close took %s", took)
	}
	if err := syscall.Kill(a.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process lives: %v", err)
	}
}

func BenchmarkWarmInvoke(b *testing.B) {
	f, err := New(Config{Name: "behave", Bootstrap: bootstrap, Timeout: 10 * time.Second})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		if r, err := f.Invoke(b.Context(), []byte(`{}`)); err != nil || r.FunctionError != "" {
			b.Fatal(r, err)
		}
	}
	if n := f.Stats().ColdStarts; n > 1 {
		b.Logf("%d cold starts", n)
	}
}
