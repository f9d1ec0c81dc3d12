package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/nightshift-go/nightshift/internal/runner"
)

const invokeUsage = `Usage: nightshift invoke FUNCTION [--event FILE] [flags]

Runs a function once with an event and prints its answer on standard output.
FUNCTION is its folder (enqueue) or its logical id (EnqueueFunction).

A stack that runs with the same data folder does it; without one, a stack of its
own is started for the one call, with nothing polled.

Exit status: 0 for an answer, 1 for an error of the function, 2 for misuse.
`

var invoke = command{name: "invoke", summary: "run one function once", run: runInvoke}

type invocation struct {
	function string
	event    []byte
	template string
	data     string
	build    string
	aws      string
}

func runInvoke(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "invoke", invokeUsage)
	event := flags.String("event", "", "`file` with the event; \"-\" is standard input; {} without one")
	data := flags.String("data", ".nightshift", "`folder` of the stack's data")
	template := flags.String("template", "template.yaml", "`path` of the template")
	build := flags.String("build-dir", "", "`folder` into which functions are built (default dist/local beside the template)")
	plain, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	switch {
	case len(plain) == 0:
		return misuse(s, flags, "it takes the name of a function")
	case len(plain) > 1:
		return misuse(s, flags, "it takes one function, but got %q; an event's file goes after --event", plain)
	}
	payload, err := readEvent(s, *event)
	if err != nil {
		return misuse(s, flags, "%v", err)
	}
	aws, err := endpoint()
	if err != nil {
		return misuse(s, flags, "%v", err)
	}
	call := invocation{function: plain[0], event: payload, template: *template, data: *data, build: *build, aws: aws}
	return call.run(ctx, s, flags)
}

func readEvent(s streams, path string) ([]byte, error) {
	var event []byte
	var err error
	switch path {
	case "":
		return []byte("{}"), nil
	case "-":
		event, err = io.ReadAll(s.in)
	default:
		event, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the event: %w", err)
	}
	if !json.Valid(event) {
		return nil, errors.New("the event is not JSON")
	}
	return event, nil
}

// run invokes at the running stack of the data folder, or at one of its own.
func (i invocation) run(ctx context.Context, s streams, flags *flag.FlagSet) error {
	address, err := runner.Running(i.data)
	if err != nil {
		return err
	}
	if address != "" {
		return i.remote(ctx, s, flags, address)
	}
	log := newLog(s.err, false)
	stack, err := runner.Start(ctx, runner.Config{
		Template: i.template, DataDir: i.data, BuildDir: i.build, Endpoint: i.aws, WithoutSources: true, Only: i.function,
		Logger: log.logger(), FunctionLog: log.function,
	})
	if errors.Is(err, runner.ErrNoFunction) {
		return misuse(s, flags, "%v", err)
	}
	if err != nil {
		return err
	}
	result, err := stack.Invoke(ctx, i.function, i.event)
	if err := errors.Join(err, stack.Close()); err != nil {
		return err
	}
	return answer(s, result.Payload, result.FunctionError != "")
}

// remote makes Lambda's Invoke call to a running stack.
func (i invocation) remote(ctx context.Context, s streams, flags *flag.FlagSet, address string) error {
	target := address + "/_nightshift/2015-03-31/functions/" + url.PathEscape(i.function) + "/invocations"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(i.event))
	if err != nil {
		return fmt.Errorf("asking the running stack: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the running stack: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("reading the running stack's answer: %w", err)
	case response.StatusCode == http.StatusNotFound:
		return misuse(s, flags, "%s", message(body))
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the running stack answered %s: %s", response.Status, message(body))
	}
	return answer(s, body, response.Header.Get("X-Amz-Function-Error") != "")
}

func message(body []byte) string {
	var document struct{ Message string }
	if json.Unmarshal(body, &document) == nil && document.Message != "" {
		return document.Message
	}
	return string(body)
}

// answer prints what the function answered, an error document too.
func answer(s streams, payload []byte, failed bool) error {
	if _, err := fmt.Fprintf(s.out, "%s\n", payload); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if failed {
		return errSilent
	}
	return nil
}
