package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/client"
)

var (
	// crumb is the stack that all tests share.
	crumb *runner.Stack
	// built is the folder of its functions' programs.
	built string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run starts the stack, runs the tests and stops it. What the functions wrote
// is shown if a test failed.
func run(m *testing.M) (code int) {
	defer func() {
		if err := chromium.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "the browser does not stop:", err)
			code = 1
		}
	}()
	logs := &lines{}
	var err error
	if built, err = os.MkdirTemp("", "crumb-functions-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // builds, too
	defer cancel()
	crumb, err = runner.Start(ctx, stackConfig(built, logs))
	if err != nil {
		fmt.Fprintln(os.Stderr, "the stack does not start:", err)
		return 1
	}
	defer func() {
		if err := crumb.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "the stack does not stop:", err)
			code = 1
		}
		if code != 0 {
			fmt.Fprint(os.Stderr, "the functions wrote:\n", logs)
		}
	}()
	return m.Run()
}

func stackConfig(build string, logs *lines) runner.Config {
	return runner.Config{
		Template: filepath.Join("..", "..", "template.yaml"), DataDir: runner.InMemory,
		BuildDir: build, FunctionLog: logs.add, StreamPoll: 20 * time.Millisecond,
	}
}

// idleStack starts a stack of its own whose queues nobody polls.
func idleStack(t *testing.T) *runner.Stack {
	t.Helper()
	logs := &lines{}
	config := stackConfig(built, logs)
	config.Prebuilt, config.WithoutSources = true, true
	idle, err := runner.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := idle.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(logs)
		}
	})
	return idle
}

// lines collects what functions write.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(function, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, function+": "+line+"\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, "")
}

// patience bounds what a test waits for, on a machine with other things to do as well.
const patience = 10 * time.Minute

func newClient(t testing.TB) (*client.Client, context.Context) {
	t.Helper()
	c, err := client.New(client.Config{URL: crumb.HTTPURL()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return c, ctx
}
