package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A function is a process behind a Lambda runtime API that hands it one event at a
// time. It is for one goroutine.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
type function struct {
	cmd     *exec.Cmd
	server  *http.Server
	begun   time.Time
	said    bytes.Buffer
	events  chan []byte
	answers chan handled
	ended   chan struct{}
}

// handled is how an invocation ended.
type handled struct {
	body []byte
	err  error
}

// invocationTime is an invocation's, as the mapping's functions have it.
const invocationTime = 30 * time.Second

// startFunction starts a command in the environment of Lambda and of more.
func startFunction(ctx context.Context, environment []string, command ...string) (*function, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &function{events: make(chan []byte, 1), answers: make(chan handled, 1), ended: make(chan struct{})}
	f.server = &http.Server{Handler: f.api()}
	go func() { _ = f.server.Serve(listener) }() // ends with close
	f.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	f.cmd.Env = append(append(os.Environ(), benchEnvironment(listener.Addr().String())...), environment...)
	f.cmd.Stdout, f.cmd.Stderr = &f.said, &f.said
	f.begun = time.Now()
	if err := f.cmd.Start(); err != nil {
		return nil, errors.Join(err, f.server.Close())
	}
	go func() {
		_ = f.cmd.Wait() // how it ended is read from what it said
		close(f.ended)
	}()
	return f, nil
}

// close ends the process.
func (f *function) close() error {
	_ = f.cmd.Process.Kill() // it may have ended by itself
	<-f.ended
	return f.server.Close()
}

// invoke has the process handle an event, and gives its answer and when it came.
func (f *function) invoke(ctx context.Context, event []byte) (answer []byte, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, invocationTime)
	defer cancel()
	f.events <- event
	select {
	case h := <-f.answers:
		return h.body, time.Now(), h.err
	case <-f.ended:
		return nil, time.Time{}, fmt.Errorf("%s ended:\n%s", f.cmd.Path, f.said.String())
	case <-ctx.Done():
		return nil, time.Time{}, fmt.Errorf("%s did not answer: %w", f.cmd.Path, ctx.Err())
	}
}

func (f *function) api() http.Handler {
	const path = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	number := 0
	mux.HandleFunc("GET "+path+"invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case event := <-f.events:
			number++
			h := w.Header()
			h.Set("Lambda-Runtime-Aws-Request-Id", strconv.Itoa(number))
			h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(invocationTime).UnixMilli(), 10))
			h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:bench")
			h.Set("Content-Type", "application/json")
			_, _ = w.Write(event) // a process that is gone has ended
		case <-r.Context().Done():
		}
	})
	take := func(failed bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if failed && err == nil {
				err = fmt.Errorf("it failed: %s", body)
			}
			f.answers <- handled{body, err}
			w.WriteHeader(http.StatusAccepted)
		}
	}
	mux.HandleFunc("POST "+path+"invocation/{id}/response", take(false))
	mux.HandleFunc("POST "+path+"invocation/{id}/error", take(true))
	mux.HandleFunc("POST "+path+"init/error", take(true))
	return mux
}

// processor is how much processor time the process has used; ok is false where
// the system does not tell (it is read from Linux's /proc).
func (f *function) processor() (used time.Duration, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(f.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name, in brackets, may hold spaces; user and system time are the 14th
	// and 15th field, in hundredths of a second.
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err == nil && err2 == nil
}
