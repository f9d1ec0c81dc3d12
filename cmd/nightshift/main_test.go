package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
)

const template = "../../internal/runner/testdata/stack/template.yaml"

var buildDir string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "nightshift")
	if err != nil {
		panic(err)
	}
	buildDir = folder
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

type result struct {
	code     int
	out, err string
}

func nightshift(t *testing.T, input string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), streams{strings.NewReader(input), &out, &err}, args)
	return result{code, out.String(), err.String()}
}

// failing can't be written to.
type failing syscall.Errno

func (f failing) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.Errno(f)}
}

// Who reads only the start of an answer is told nothing of the rest; an answer that the
// disk has no room for is a failure.
func TestAnAnswerThatCanNotBeWritten(t *testing.T) {
	for _, args := range []string{"help", "size", "size --json", "size --queue photos --table --scale --cost", "simulate --queue photos --for 1m"} {
		for why, want := range map[syscall.Errno]string{syscall.EPIPE: "", syscall.ENOSPC: noRoom} {
			var stderr bytes.Buffer
			code := run(t.Context(), streams{strings.NewReader(""), failing(why), &stderr}, strings.Fields(args))
			if code != exitFailure || stderr.String() != want {
				t.Errorf("nightshift %s: %d, %s", args, code, stderr.String())
			}
		}
	}
}

const noRoom = "nightshift: writing the answer: write /dev/stdout: no space left on device\n"

// A command ends when it can't write, and has failed, whether it looks at its writes or not.
func TestACommandThatDoesNotLookAtItsWrites(t *testing.T) {
	var stderr bytes.Buffer
	ctx, end := context.WithCancel(t.Context())
	out := &output{to: failing(syscall.ENOSPC), end: end}
	fmt.Fprintln(out, "one")
	<-ctx.Done()
	out.to = io.Discard // there is room again, but the answer has a hole
	if n, err := fmt.Fprintln(out, "two"); n != 0 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it goes on: %d, %v", n, err)
	}
	for err, want := range map[error]string{nil: noRoom, ctx.Err(): noRoom, wrote(out.failed): noRoom, os.ErrClosed: noRoom + "nightshift: file already closed\n"} {
		stderr.Reset()
		if code := out.exitCode(streams{err: &stderr}, err); code != exitFailure || stderr.String() != want {
			t.Errorf("%v: %d, %s", err, code, stderr.String())
		}
	}
}

func TestMisuse(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "Usage: nightshift COMMAND"},
		{"fly", `there is no command "fly"`},
		{"dev now", "it takes no arguments"},
		{"dev --nope", "flag provided but not defined"},
		{"invoke", "it takes the name of a function"},
		{"invoke a b.json", `it takes one function, but got ["a" "b.json"]; an event's file goes after --event`},
		{"invoke a --event " + bad, "the event is not JSON"},
		{"invoke a --event nowhere.json", "no such file"},
	} {
		if got := nightshift(t, "", strings.Fields(c.args)...); got.code != exitMisuse || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("nightshift %s: %+v", c.args, got)
		}
	}
	for _, args := range []string{"--help", "dev --help", "invoke -h"} {
		if got := nightshift(t, "", strings.Fields(args)...); got.code != 0 || !strings.Contains(got.out+got.err, "Usage: nightshift") {
			t.Errorf("nightshift %s: %+v", args, got)
		}
	}
}

func TestAnEndpointThatIsNone(t *testing.T) {
	for _, text := range []string{"localhost:4566", "foo", "http://", "file:///x", "http://a b"} {
		t.Setenv("AWS_ENDPOINT_URL", text)
		for _, command := range []string{"dev", "invoke echo"} {
			got := nightshift(t, "", append(strings.Fields(command), "--template", template, "--data", ":memory:")...)
			if got.code != exitMisuse || !strings.Contains(got.err, "AWS_ENDPOINT_URL is "+strconv.Quote(text)) {
				t.Errorf("%s with %q: %+v", command, text, got)
			}
		}
	}
}

func TestFlagsStandAnywhere(t *testing.T) {
	for args, want := range map[string]string{
		"a b": "a b", "-x 1 a": "a", "a -x 1": "a", "a -x=1 b": "a b", "a -- -x": "a -x", "": "",
	} {
		flags := newFlags(streams{err: io.Discard}, "test", "")
		flags.String("x", "", "")
		plain, err := parse(streams{}, flags, strings.Fields(args))
		if got := strings.Join(plain, " "); got != want || err != nil {
			t.Errorf("%q: %q, %v", args, got, err)
		}
	}
}

func TestDevStaysOnLoopback(t *testing.T) {
	got := nightshift(t, "", "dev", "--http", "0.0.0.0:0", "--data", ":memory:", "--template", template, "--build-dir", buildDir)
	if got.code != exitFailure || !strings.Contains(got.err, "--allow-remote permits it") {
		t.Errorf("%+v", got)
	}
}

func TestInvokeStartsAStackOfItsOwn(t *testing.T) {
	common := []string{"--template", template, "--data", ":memory:", "--build-dir", buildDir}
	for _, c := range []struct {
		name, input string
		args        []string
		code        int
		out         string
	}{
		{"folder name", `{"body":"hello"}`, append([]string{"invoke", "echo", "--event", "-"}, common...), 0, `"statusCode":201`},
		{"logical id, flags first", `{"body":"hello"}`, slices.Concat([]string{"invoke", "--event=-"}, common, []string{"EchoFunction"}), 0, `"statusCode":201`},
		{"function error", `{"body":"fail"}`, append([]string{"invoke", "echo", "--event", "-"}, common...), exitFailure, "asked to fail"},
		{"no such function", `{}`, append([]string{"invoke", "nobody"}, common...), exitMisuse, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := nightshift(t, c.input, c.args...)
			if got.code != c.code || !strings.Contains(got.out, c.out) || c.out == "" && got.out != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDevServesUntilItIsStopped(t *testing.T) {
	data := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	read, write := io.Pipe()
	var log bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, streams{nil, write, &log}, []string{"dev", "--http", "127.0.0.1:0", "--aws", "127.0.0.1:0", "--data", data, "--template", template, "--build-dir", buildDir})
		write.Close()
	}()
	line := make([]byte, 200)
	n, err := read.Read(line)
	if err != nil {
		t.Fatal(err, log.String())
	}
	if !regexp.MustCompile(`^ready http=http://127\.0\.0\.1:\d+ aws=http://127\.0\.0\.1:\d+\n$`).Match(line[:n]) {
		t.Fatalf("printed %q", line[:n])
	}
	got := nightshift(t, `{"body":"hello"}`, "invoke", "echo", "--data", data, "--event", "-", "--template", "unread.yaml")
	if got.code != 0 || !strings.Contains(got.out, `"statusCode":201`) {
		t.Errorf("invoke at the running stack: %+v", got)
	}
	if got := nightshift(t, "", "dev", "--data", data, "--template", template); got.code != exitFailure || !strings.Contains(got.err, "of its own with --data") {
		t.Errorf("a second stack on the folder: %+v", got)
	}
	if got := nightshift(t, "", "invoke", "nobody", "--data", data); got.code != exitMisuse || !strings.Contains(got.err, "no such function") {
		t.Errorf("invoke of nobody: %+v", got)
	}
	if got := nightshift(t, `{"body":"fail"}`, "invoke", "echo", "--data", data, "--event", "-"); got.code != exitFailure {
		t.Errorf("invoke that fails: %+v", got)
	}
	stop()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit %d: %s", code, log.String())
		}
	case <-time.After(longest):
		t.Fatal("it does not stop")
	}
	// Another process may have its port by now: the folder tells that it is gone.
	if address, err := runner.Running(data); err != nil || address != "" {
		t.Errorf("it still serves: %q, %v", address, err)
	}
	if rest, err := io.ReadAll(read); err != nil || len(rest) > 0 {
		t.Errorf("more on standard output: %q, %v", rest, err)
	}
}
