package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const jobsRetryUsage = `Usage: nightshift jobs retry ID... [flags]

Lets jobs run now:

  dead       starts anew, with all its attempts; its letter becomes stale (as with
             nightshift dlq redrive, which also removes the letter)
  scheduled  goes to its queue at once; its attempts are as they were
  queued     that waits for its time (delayed, or failed and to be tried again):
             as if scheduled. Not in a FIFO queue, where others would overtake it
  queued     and due: it waits for a worker already, and is left as it is

A job that runs, is done or was cancelled is refused: enqueue a new one.

Exit status: 0 when all will run now, 1 when something was refused or failed, 2 for
misuse.
` + whereJobs

var jobsRetry = command{name: "retry", run: func(ctx context.Context, s streams, args []string) error {
	return runOnJobs(ctx, s, "jobs retry", jobsRetryUsage, args, retryJob)
}}

// retryTries bounds how often a job is looked at anew that changes in between.
const retryTries = 5

func retryJob(ctx context.Context, s *stack, rec store.Record) (jobOutcome, error) {
	for try := range retryTries {
		if try > 0 {
			var err error
			if rec, err = s.jobs.Get(ctx, rec.ID); err != nil {
				return jobOutcome{}, err
			}
		}
		o, done, err := s.retry(ctx, rec)
		if done || err != nil {
			return o, err
		}
	}
	return jobOutcome{}, fmt.Errorf("it changed %d times between", retryTries)
}

// retry lets a job run now that is as it was found. done is false where it changed
// between.
func (s *stack) retry(ctx context.Context, found store.Record) (o jobOutcome, done bool, err error) {
	now := s.now()
	switch _, _, fifo := found.ID.Group(); {
	case found.State == lifecycle.Dead:
		return s.redrive(ctx, found)
	case found.Spilled && found.Hard != nil:
		return jobOutcome{Status: refused, Why: "it is spilled, and its queue is Hard: it is released when there is room"}, true, nil
	case found.State == lifecycle.Scheduled:
		done, err = s.dueNow(ctx, found)
		return jobOutcome{Status: "due now"}, done, err
	case found.State == lifecycle.Queued && !waitsForTime(found, now):
		return jobOutcome{Status: "queued", Why: "it is due and waits for a worker already"}, true, nil
	case found.State == lifecycle.Queued && fifo:
		return jobOutcome{Status: refused, Why: "it waits for its time in a FIFO queue: others would overtake it"}, true, nil
	case found.State == lifecycle.Queued:
		// Its message is hidden in SQS. Into the table and out again makes a new
		// one; what the old one finds decides about it. Stopped between, the job
		// is scheduled for now, and the sweep brings it back.
		if done, err = s.jobs.Park(ctx, found, now); done && err == nil {
			done, err = s.dueNow(ctx, found)
		}
		return jobOutcome{Status: "due now"}, done, err
	case found.State == lifecycle.Running:
		return jobOutcome{Status: refused, Why: "it runs"}, true, nil
	}
	return jobOutcome{Status: refused, Why: fmt.Sprintf("it is %s: enqueue a new one", found.State)}, true, nil
}

// dueNow moves a scheduled job to now and hands it to its queue, unless the sweep is
// quicker. It does nothing (false) where the job is no longer scheduled.
func (s *stack) dueNow(ctx context.Context, found store.Record) (bool, error) {
	if moved, err := s.jobs.Move(ctx, found.ID, s.now()); err != nil || !moved {
		return false, err
	}
	rec, err := s.jobs.Get(ctx, found.ID)
	if err == nil && rec.State == lifecycle.Scheduled {
		if promoted, err := s.jobs.Promote(ctx, store.DueOf(rec)); err != nil || promoted {
			return promoted, err
		}
		rec, err = s.jobs.Get(ctx, found.ID)
	}
	return err == nil && rec.State != lifecycle.Scheduled, err
}

func (s *stack) redrive(ctx context.Context, found store.Record) (jobOutcome, bool, error) {
	standing, err := deadletter.RedriveJob(ctx, s.jobs, found.ID)
	if errors.Is(err, store.ErrDuplicate) || errors.Is(err, store.ErrFull) {
		return jobOutcome{Status: refused, Why: err.Error()}, true, nil
	}
	return jobOutcome{Status: "redriven"}, standing == deadletter.Current, err
}
