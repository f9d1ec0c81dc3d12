package main

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/periodic"
)

const schedulesPauseUsage = `Usage: nightshift schedules pause NAME... [flags]

Stops periodic jobs: their occurrences enqueue nothing until they are resumed. Jobs that
are enqueued already run.

Exit status: 0 when all are paused, 1 when something was refused or failed, 2 for
misuse.
` + whereSchedules

var schedulesPause = command{name: "pause", run: func(ctx context.Context, s streams, args []string) error {
	return runOnSchedules(ctx, s, newFlags(s, "schedules pause", schedulesPauseUsage), args, pauseSchedule)
}}

func pauseSchedule(ctx context.Context, d desk, name string) (scheduleOutcome, error) {
	return scheduleOutcome{Status: "paused"}, d.Pause(ctx, name)
}

const schedulesResumeUsage = `Usage: nightshift schedules resume NAME... [flags]

Lets paused periodic jobs go on with their next occurrence. What lay in the pause was not
missed, and is not caught up.

Exit status: 0 when all are resumed, 1 when something was refused or failed, 2 for
misuse.
` + whereSchedules

var schedulesResume = command{name: "resume", run: func(ctx context.Context, s streams, args []string) error {
	return runOnSchedules(ctx, s, newFlags(s, "schedules resume", schedulesResumeUsage), args, resumeSchedule)
}}

func resumeSchedule(ctx context.Context, d desk, name string) (scheduleOutcome, error) {
	if err := d.Resume(ctx, name); err != nil {
		return scheduleOutcome{}, err
	}
	status, err := d.Get(ctx, name)
	return scheduleOutcome{Status: "resumed", Next: known(status.Next)}, err
}

const schedulesRunUsage = `Usage: nightshift schedules run NAME... [flags]

Runs periodic jobs now, beside their occurrences, also while they are paused. The
function that has a job's definition enqueues it at its next look at the table, within
a minute, and the command waits for that:

  enqueued   with the job's id; nightshift jobs watch follows it
  joined     an earlier job is unfinished, and the overlap policy leaves this one out
  refused    there is no such periodic job, or its request is not accepted
  asked      the function has not looked yet (--wait is over). It will

A run that somebody asked for already, and that no function has seen yet, is the same run.

Exit status: 0 for success, 1 when something was refused or failed, 2 for misuse.
` + whereSchedules

var schedulesRun = command{name: "run", run: runSchedulesRun}

// runPoll is how often the table is asked whether the function has looked.
const runPoll = time.Second

func runSchedulesRun(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "schedules run", schedulesRunUsage)
	wait := flags.Duration("wait", 2*time.Minute, "`how long` to wait for the function; 0s only asks")
	return runOnSchedules(ctx, s, flags, args, func(ctx context.Context, d desk, name string) (scheduleOutcome, error) {
		return runSchedule(ctx, d, name, *wait)
	})
}

// runSchedule asks for a run and waits for what becomes of it.
func runSchedule(ctx context.Context, d desk, name string, wait time.Duration) (scheduleOutcome, error) {
	asked, err := d.Ask(ctx, name)
	if err != nil {
		return scheduleOutcome{}, err
	}
	for until := time.Now().Add(wait); ; {
		status, err := d.Get(ctx, name)
		switch ran := status.Ran; {
		case err != nil:
			return scheduleOutcome{}, err
		case ran != nil && !ran.Asked.Before(asked):
			return ranOutcome(*ran), nil
		case !time.Now().Before(until):
			return scheduleOutcome{Status: "asked", Why: "the function has not looked yet"}, nil
		}
		if err := pauseUntil(ctx, time.Now().Add(runPoll)); err != nil {
			return scheduleOutcome{Status: "asked", Why: "no longer waited for"}, nil
		}
	}
}

func ranOutcome(ran periodic.Run) scheduleOutcome {
	switch {
	case ran.Refused != "":
		return scheduleOutcome{Status: refused, Why: ran.Refused}
	case ran.Joined:
		return scheduleOutcome{Status: "joined", Job: string(ran.Job), Why: "it is unfinished"}
	}
	return scheduleOutcome{Status: "enqueued", Job: string(ran.Job)}
}
