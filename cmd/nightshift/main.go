// Command nightshift runs a Nightshift stack on this machine and talks to it.
//
//	nightshift dev        run the whole stack of template.yaml
//	nightshift invoke     run one function once
//	nightshift dlq        list, show, redrive and drop dead letters
//	nightshift jobs       list, show, cancel, retry and watch jobs
//	nightshift batches    list and show batches of jobs
//	nightshift queues     list queues, with what waits in them
//	nightshift outbox     list and resend events
//	nightshift schedules  list, pause, resume and run periodic jobs
//	nightshift size       what follows from the queues' declarations
//	nightshift simulate   play a queue through: spikes, outages, retries
//
// Exit status: 0 for success, 1 for a failure, 2 for misuse. An answer that could not be
// written is a failure; one whose reader went away ("| head") a silent one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitFailure = 1
	exitMisuse  = 2
)

// A command is one word after nightshift. Each has a file of its own.
type command struct {
	name    string
	summary string
	// run does the work; args are what follows the name.
	run func(ctx context.Context, io streams, args []string) error
}

// streams are what a command reads and writes. Answers go to out, all else to
// err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

var commands = []command{dev, invoke, dlq, jobsGroup, batchesGroup, queuesGroup, outboxGroup, schedulesGroup, sizeCommand, simulateCommand}

// errMisuse marks an error of the command line, whose usage has been shown.
var errMisuse = errors.New("misuse")

// errSilent marks a failure of which everything has been said.
var errSilent = errors.New("failed")

func main() {
	// A reader that goes away ("| head") is an error of writing, so that what a
	// command holds is given back; by default it would kill the process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, s streams, args []string) int {
	ctx, end := context.WithCancel(ctx)
	defer end()
	out := &output{to: s.out, end: end}
	s.out = out
	return out.exitCode(s, runCommand(ctx, s, args))
}

func runCommand(ctx context.Context, s streams, args []string) error {
	if len(args) == 0 {
		usage(s.err)
		return errMisuse
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(s.out)
		return nil
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(ctx, s, args[1:])
		}
	}
	fmt.Fprintf(s.err, "nightshift: there is no command %q\n\n", args[0])
	usage(s.err)
	return errMisuse
}

func exitCode(s streams, err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errMisuse):
		return exitMisuse
	case errors.Is(err, errSilent):
		return exitFailure
	}
	fmt.Fprintln(s.err, "nightshift:", err)
	return exitFailure
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Nightshift: background work in Go on AWS Lambda.\n\nUsage: nightshift COMMAND [flags]\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nnightshift COMMAND --help says more of each.\n")
}
