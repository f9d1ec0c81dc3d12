// Command behave is a Lambda function for tests: its event says how it behaves.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing/iotest"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type event struct {
	Do    string
	Sleep int // milliseconds
	Size  int // bytes
}

type answer struct {
	PID      int
	Count    int
	Function string
	ARN      string
	Trace    string
	Deadline int64 // milliseconds left
	Variable string
	Pad      string
}

func main() {
	switch os.Getenv("INIT") {
	case "exit":
		os.Exit(3)
	case "stay":
		signal.Ignore(syscall.SIGTERM)
	case "sleep":
		time.Sleep(time.Minute)
	}
	count := 0
	lambda.Start(func(ctx context.Context, e event) (any, error) {
		count++
		fmt.Printf("doing %q\n", e.Do)
		time.Sleep(time.Duration(e.Sleep) * time.Millisecond)
		switch e.Do {
		case "fail":
			return nil, errors.New("it failed")
		case "panic":
			panic("it panicked")
		case "exit":
			os.Exit(7)
		case "stream":
			return strings.NewReader(`{"Variable":"streamed"}`), nil
		case "break":
			return io.MultiReader(strings.NewReader(`{"Variable":`), iotest.ErrReader(errors.New("it broke off"))), nil
		}
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return answer{PID: os.Getpid(), Count: count, Function: lambdacontext.FunctionName, ARN: lc.InvokedFunctionArn,
			Trace: os.Getenv("_X_AMZN_TRACE_ID"), Deadline: time.Until(deadline).Milliseconds(),
			Variable: os.Getenv("VARIABLE"), Pad: strings.Repeat("x", e.Size)}, nil
	})
}
