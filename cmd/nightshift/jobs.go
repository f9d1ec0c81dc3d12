package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const jobsUsage = `Usage: nightshift jobs COMMAND [flags]

  list       show jobs
  show       show everything about one job
  cancel     cancel jobs
  retry      let dead jobs start anew, and waiting ones run now
  watch      follow jobs until they have ended

nightshift jobs COMMAND --help says more of each.
`

var jobsGroup = command{name: "jobs", summary: "list, show, cancel, retry and watch jobs", run: func(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "jobs", jobsUsage, []command{jobsList, jobsShow, jobsCancel, jobsRetry, jobsWatch}, args)
}}

// whereJobs is the part of every jobs command's help that says which jobs are meant.
const whereJobs = "\nThe jobs" + inTheStack

// openJobs finds the stack of a jobs command.
func openJobs(ctx context.Context, f *stackFlags) (*stack, error) {
	return f.open(ctx, ", or name a table of AWS with --table")
}

// openIDs reads the command line of a command that takes ids, and finds the stack.
func openIDs(ctx context.Context, s streams, flags *flag.FlagSet, f *stackFlags, args []string) ([]string, *stack, error) {
	ids, err := parse(s, flags, args)
	if err != nil {
		return nil, nil, err
	}
	if len(ids) == 0 {
		return nil, nil, misuse(s, flags, "it takes the ids of jobs")
	}
	stack, err := openJobs(ctx, f)
	return ids, stack, err
}

// find reads the job that a person named. A text that is no id names no job.
func (s *stack) find(ctx context.Context, id string) (store.Record, error) {
	parsed, err := job.ParseID(id)
	if err != nil {
		return store.Record{}, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	return s.jobs.Get(ctx, parsed)
}
