package main

import (
	"context"
	"errors"
	"flag"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
)

const dlqUsage = `Usage: nightshift dlq COMMAND [flags]

Jobs that failed for good leave a letter in the dead-letter queue of their queue.

  list       show what is there
  show       show one letter, and the job that it tells of
  redrive    let the jobs start anew
  drop       delete letters

nightshift dlq COMMAND --help says more of each.
`

var dlq = command{name: "dlq", summary: "list, show, redrive and drop dead letters", run: runDLQ}

var dlqCommands = []command{dlqList, dlqShow, dlqRedrive, dlqDrop}

func runDLQ(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "dlq", dlqUsage, dlqCommands, args)
}

// where is the part of every dlq command's help that says which queue is meant.
const where = `
The letters are those of the stack that runs with the data folder. With --table
they are in AWS, as the usual AWS settings have it (AWS_PROFILE, AWS_REGION,
AWS_ENDPOINT_URL and so on); --dlq, and for some things --queue, name the queues.
`

// which is the part of the help about filters.
const which = `
Letters can be picked; each flag that is given must match. A TIME is a duration
before now (90m, 36h), a date (2026-03-01) or a time (2026-03-01T09:00:00Z).
`

// filterFlags adds the flags that pick letters of a stack.
func filterFlags(flags *flag.FlagSet, at *stackFlags) *deadletter.Filter {
	f := &deadletter.Filter{}
	flags.StringVar(&f.Task, "task", "", "`name` of the task")
	flags.StringVar(&f.Code, "code", "", "`code` of the failure")
	flags.StringVar(&f.Client, "client", "", "`name` of the client that made the job")
	flags.StringVar(&f.Reason, "reason", "", "`part` of the reason, in any case")
	flags.Func("job", "`id` of a job, or of the message; more than one may be given", func(id string) error {
		if id == "" {
			return errors.New("it is empty")
		}
		f.IDs = append(f.IDs, id)
		return nil
	})
	flags.Func("since", "died at that `TIME` or later", at.timeFlag(&f.Since))
	flags.Func("before", "died before that `TIME`", at.timeFlag(&f.Before))
	return f
}

// runFlags adds the flags of commands that act on letters.
func runFlags(flags *flag.FlagSet, o *deadletter.Options) {
	flags.Func("max", "`number` of letters to act on at most; 0 means all (default 0)", countFlag(&o.Max))
	flags.Func("rate", "letters a second, as a `number`; 0 means as fast as it goes (default 0)", rateFlag(&o.Rate))
	flags.BoolVar(&o.DryRun, "dry-run", false, "say what would be done, and do nothing")
}
