package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

const devUsage = `Usage: nightshift dev [flags]

Runs the stack that template.yaml declares, with a local AWS endpoint: its
queues, tables and buckets, its functions as processes, and what invokes them.
When it serves, it prints one line on standard output:

  ready http=http://127.0.0.1:8080 aws=http://127.0.0.1:4566

The application is at the first address, the stack's own page below it at
/_nightshift/. Logs go to standard error. Ctrl-C stops everything.

With --time-scale 600 the stack's time passes 600 times as fast as the machine's
while nobody works, so that a week of schedules passes in minutes, and as the
machine's while a function runs or a request is answered. A stack that was ahead
of the machine's time stays ahead with the same data folder.

Requests of this machine are free of the API's rate limit, unless --count-loopback is
given.

With AWS_ENDPOINT_URL set, that endpoint is used instead of the built-in one,
and the resources are created there.
`

var dev = command{name: "dev", summary: "run the whole stack on this machine", run: runDev}

func runDev(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "dev", devUsage)
	http := flags.String("http", "127.0.0.1:8080", "`address` of the HTTP API; port 0 takes a free one")
	aws := flags.String("aws", "127.0.0.1:4566", "`address` of the AWS endpoint; port 0 takes a free one")
	data := flags.String("data", ".nightshift", "`folder` of the stack's data; \":memory:\" keeps nothing")
	template := flags.String("template", "template.yaml", "`path` of the template")
	build := flags.String("build-dir", "", "`folder` into which functions are built (default dist/local beside the template)")
	allowRemote := flags.Bool("allow-remote", false, "permit addresses that other machines can reach; nothing asks who they are")
	scale := flags.Float64("time-scale", 1, fmt.Sprintf("how many `times` as fast the stack's time passes while nobody works, 1 to %d", clock.MaxScale))
	loopback := flags.Bool("count-loopback", false, "count this machine's requests against the rate limit as well: to see it with curl")
	verbose := flags.Bool("verbose", false, "log each call to the AWS endpoint")
	plain, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plain) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q", plain)
	}
	if clock.CheckScale(*scale) != nil {
		return misuse(s, flags, "--time-scale %v: it is from 1 to %d", *scale, clock.MaxScale)
	}
	other, err := endpoint()
	if err != nil {
		return misuse(s, flags, "%v", err)
	}
	environment := map[string]string{}
	if *loopback {
		environment[settings.CountLoopback] = "true"
	}
	log := newLog(s.err, *verbose)
	stack, err := runner.Start(ctx, runner.Config{
		Template: *template, DataDir: *data, HTTPAddr: *http, AWSAddr: *aws, AllowRemote: *allowRemote, BuildDir: *build,
		Environment: environment, Tasks: declared(), TimeScale: *scale, Endpoint: other, Logger: log.logger(), FunctionLog: log.function,
	})
	if err != nil {
		return advise(err)
	}
	if told := tellTime(stack.Clock().Read(), time.Now()); told != "" {
		log.logger().Info(told)
	}
	fmt.Fprintf(s.out, "ready http=%s aws=%s\n", stack.HTTPURL(), stack.AWSURL())
	<-ctx.Done()
	log.logger().Info("stopping")
	return stack.Close()
}

// tellTime says what is to be known of a clock that is not the machine's; "" of the
// machine's.
func tellTime(read clock.Reading, machine time.Time) string {
	ahead := read.Now.Sub(machine).Round(time.Second)
	if read.Scale == 1 && ahead == 0 {
		return ""
	}
	told := "the stack's time is " + read.Now.UTC().Format(time.RFC3339)
	if ahead > 0 {
		told += ", " + ahead.String() + " ahead of the machine's, as its data is"
	}
	if read.Scale > 1 {
		told += fmt.Sprintf("; while nobody works it passes %v times as fast", read.Scale)
	}
	return told
}

// advise adds the way out to what keeps a stack from starting.
func advise(err error) error {
	switch {
	case errors.Is(err, runner.ErrInUse):
		return fmt.Errorf("%w; stop that one, or give this one a folder of its own with --data", err)
	case errors.Is(err, runner.ErrOthersTime):
		return fmt.Errorf("%w: leave out --time-scale, or AWS_ENDPOINT_URL", err)
	case errors.Is(err, runner.ErrRemote):
		return fmt.Errorf("%w; --allow-remote permits it", err)
	}
	return err
}
