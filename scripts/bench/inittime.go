package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const starts = 25

// initTime compares how long a worker's process takes until it asks for its
// first event with a bare program, started in turn.
func initTime(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "nightshift-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder may stay
	programs := []string{"./scripts/bench/functions/bare", "./functions/photos", "./scripts/bench/functions/noop", "./functions/enqueue", "./functions/status", "./functions/relay"}
	times := make([][]float64, len(programs))
	for _, program := range programs {
		if err := build(ctx, program, filepath.Join(dir, filepath.Base(program))); err != nil {
			return err
		}
	}
	for range starts {
		for i, program := range programs {
			took, err := timeToFirstPoll(ctx, filepath.Join(dir, filepath.Base(program)))
			if err != nil {
				return fmt.Errorf("%s: %w", program, err)
			}
			times[i] = append(times[i], took.Seconds()*1000)
		}
	}
	fmt.Fprintf(out, "\n## Start: from the process's start to its first request for an event\n\n")
	fmt.Fprintf(out, "| program | median, ms | min–max, ms | ratio to the bare program (median of %d pairs) |\n|---|---|---|---|\n", starts)
	for i, program := range programs {
		ratios := make([]float64, starts)
		for k := range ratios {
			ratios[k] = times[i][k] / times[0][k]
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1f–%.1f | **%.2f** |\n", program, median(times[i]), slices.Min(times[i]), slices.Max(times[i]), median(ratios))
	}
	return nil
}

// build makes a program as it is made for Lambda, for this machine.
func build(ctx context.Context, program, output string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", output, program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", program, err, text)
	}
	return nil
}

// timeToFirstPoll starts a program on a runtime API that has no event for it.
func timeToFirstPoll(ctx context.Context, program string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	polled := make(chan time.Time, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case polled <- time.Now():
		default:
		}
		<-r.Context().Done()
	})}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer func() { _ = server.Close() }()

	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), benchEnvironment(listener.Addr().String())...)
	var said bytes.Buffer
	cmd.Stderr = &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is read from what it said
		close(ended)
	}()
	defer func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	}()
	select {
	case at := <-polled:
		return at.Sub(begin), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("it did not ask for an event: %w", ctx.Err())
	case <-ended:
		return 0, fmt.Errorf("it ended before it asked for an event:\n%s", said.String())
	}
}

// benchEnvironment is what a function finds in Lambda.
func benchEnvironment(runtimeAPI string) []string {
	queue := "http://127.0.0.1:1/000000000000/"
	return []string{
		"AWS_LAMBDA_RUNTIME_API=" + runtimeAPI, "AWS_LAMBDA_FUNCTION_NAME=bench", "_HANDLER=bootstrap",
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_ENDPOINT_URL=http://127.0.0.1:1",
		"NIGHTSHIFT_TABLE=jobs", "NIGHTSHIFT_BUCKET=objects", "NIGHTSHIFT_SECRET=a-secret-of-the-benchmarks-alone",
		"NIGHTSHIFT_QUEUE_PHOTOS_URL=" + queue + "photos", "NIGHTSHIFT_QUEUE_PHOTOS_DLQ_URL=" + queue + "photos-dlq",
		"NIGHTSHIFT_QUEUE_BENCH_URL=" + queue + "bench", "NIGHTSHIFT_QUEUE_BENCH_DLQ_URL=" + queue + "bench-dlq",
	}
}
