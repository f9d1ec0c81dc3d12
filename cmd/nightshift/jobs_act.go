package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A jobOutcome is what became of one id, as a line.
type jobOutcome struct {
	ID     job.ID `json:"id"`
	Status string `json:"status"`
	Task   string `json:"task,omitempty"`
	// Why says more: of a refusal, why.
	Why string `json:"why,omitempty"`
}

const (
	refused = "refused"
	failed  = "failed"
)

// runOnJobs runs a command that does something to each job that it is told of.
func runOnJobs(ctx context.Context, s streams, name, usage string, args []string, act func(context.Context, *stack, store.Record) (jobOutcome, error)) error {
	flags := newFlags(s, name, usage)
	var at stackFlags
	at.add(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each job, on a line")
	ids, stack, err := openIDs(ctx, s, flags, &at, args)
	if err != nil {
		return err
	}
	bad := false
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		o := outcomeOf(ctx, stack, id, act)
		bad = bad || o.Status == refused || o.Status == failed
		if err := o.print(s, *asJSON); err != nil {
			return err
		}
	}
	if bad {
		return errSilent
	}
	return nil
}

func outcomeOf(ctx context.Context, s *stack, id string, act func(context.Context, *stack, store.Record) (jobOutcome, error)) jobOutcome {
	var o jobOutcome
	rec, err := s.find(ctx, id)
	if err == nil {
		o, err = act(ctx, s, rec)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		o = jobOutcome{Status: refused, Why: "there is no such job"}
	case err != nil:
		o = jobOutcome{Status: failed, Why: err.Error()}
	}
	o.ID, o.Task = job.ID(id), rec.Task
	return o
}

func (o jobOutcome) print(s streams, asJSON bool) error {
	if asJSON {
		return jsonLine(s.out, o)
	}
	line := fmt.Sprintf("%-9s  %s  %s", o.Status, plain(string(o.ID), 1000), orDash(plain(o.Task, 80)))
	if o.Why != "" {
		line += "  " + plain(o.Why, 300)
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

const jobsCancelUsage = `Usage: nightshift jobs cancel ID... [flags]

Ends waiting jobs as cancelled, and asks running ones to stop: those end when their
handler asks for it or is done; see jobs watch. What has finished is refused.

Exit status: 0 when all were cancelled or asked, 1 when something was refused or
failed, 2 for misuse.
` + whereJobs

var jobsCancel = command{name: "cancel", run: func(ctx context.Context, s streams, args []string) error {
	return runOnJobs(ctx, s, "jobs cancel", jobsCancelUsage, args, cancelJob)
}}

func cancelJob(ctx context.Context, s *stack, found store.Record) (jobOutcome, error) {
	rec, err := s.jobs.Cancel(ctx, found.ID, "")
	switch {
	case errors.Is(err, store.ErrFinished):
		return jobOutcome{Status: refused, Why: "it has finished: it is " + string(rec.State)}, nil
	case err != nil:
		return jobOutcome{}, err
	case rec.State.Final():
		return jobOutcome{Status: "cancelled"}, nil
	}
	return jobOutcome{Status: "asked", Why: "it runs, and was asked to stop"}, nil
}
