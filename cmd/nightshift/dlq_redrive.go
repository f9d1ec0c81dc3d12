package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const dlqRedriveUsage = `Usage: nightshift dlq redrive [flags]

Lets the jobs of letters start anew: in their own queue, with all their attempts.
The letters are deleted; stale ones, whose job was redriven before, are removed.
What stays, and why, is said: a job whose unique key another one has, a letter
whose job is gone, a message that can't be read (unless --unreadable).

Jobs that die again while it runs are left alone. A run that was stopped is gone
on with by running it again. With --job, a dead job is redriven also where its
letter has expired: jobs are kept longer than letters.

Exit status: 0 when all was redriven, 1 when something was refused or failed, 2 for
misuse.
` + which + where

var dlqRedrive = command{name: "redrive", run: runDLQRedrive}

func runDLQRedrive(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "dlq redrive", dlqRedriveUsage)
	run := newDLQRun(s, flags)
	flags.BoolVar(&run.options.Unreadable, "unreadable", false, "send back what can't be read, too, as it came")
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plainArgs) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q; a job's id goes after --job", plainArgs)
	}
	place, err := run.open(ctx, flags)
	if err != nil {
		return err
	}
	err = run.through(ctx, place, func(t target, ctx context.Context, o deadletter.Options) (deadletter.Summary, error) {
		return t.Redrive(ctx, o)
	})
	for _, id := range run.filter.IDs {
		if err == nil && !run.met[id] && !run.enough() {
			err = run.withoutLetter(ctx, place, id)
		}
	}
	return run.end(err)
}

// withoutLetter redrives a job that has no letter any more.
func (r *dlqRun) withoutLetter(ctx context.Context, p *place, id string) error {
	result := deadletter.Result{Letter: deadletter.Letter{Job: job.ID(id)}, Status: deadletter.Refused}
	jobID, err := job.ParseID(id)
	if err != nil {
		result.Err = errors.New("there is no such letter")
		r.each(result)
		return nil
	}
	rec, err := p.jobs.Get(ctx, jobID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		result.Err = errors.New("there is neither a letter nor a job of that id")
	case err != nil:
		return err
	case rec.State != lifecycle.Dead:
		result.Letter.Task, result.Err = rec.Task, fmt.Errorf("the job has no letter and is %s", rec.State)
	case !r.options.Filter.Matches(obituary(rec)):
		result.Letter.Task, result.Err = rec.Task, errors.New("the job is dead, and not one of those that the other flags ask for")
	default:
		result.Letter.Task, result.Status = rec.Task, deadletter.Redriven
		if !r.options.DryRun {
			_, err = deadletter.RedriveJob(ctx, p.jobs, jobID)
		}
		if errors.Is(err, store.ErrDuplicate) || errors.Is(err, store.ErrFull) {
			result.Status, result.Err = deadletter.Refused, err
		} else if err != nil {
			return err
		}
	}
	r.each(result)
	return nil
}

// obituary is what a dead job's letter says that filters look at.
func obituary(rec store.Record) deadletter.Letter {
	l := deadletter.Letter{Job: rec.ID, Letter: queue.Letter{Task: rec.Task, Client: rec.Client, DiedAt: rec.Finished}}
	if rec.Error != nil {
		l.Code, l.Reason = rec.Error.Code, rec.Error.Message
	}
	return l
}

// enough tells whether as many were acted on as there may be.
func (r *dlqRun) enough() bool {
	acted := 0
	for _, n := range r.counts {
		acted += n
	}
	return r.options.Max > 0 && acted >= r.options.Max
}
