package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/periodic"
)

const schedulesUsage = `Usage: nightshift schedules COMMAND [flags]

  list       show the periodic jobs, with their next and last occurrences
  pause      stop periodic jobs for a while
  resume     let paused ones go on
  run        run a periodic job now, beside its occurrences

nightshift schedules COMMAND --help says more of each.
`

var schedulesGroup = command{name: "schedules", summary: "list, pause, resume and run periodic jobs", run: func(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "schedules", schedulesUsage, []command{schedulesList, schedulesPause, schedulesResume, schedulesRun}, args)
}}

// whereSchedules is the part of every schedules command's help that says which periodic
// jobs are meant.
const whereSchedules = `
Periodic jobs are defined in a function's program, which writes their names and
expressions into the jobs table when it first looks for missed occurrences: a minute
after it was deployed.

They` + inTheStack

// A desk is where the periodic jobs of a stack are looked after.
type desk struct {
	*periodic.Desk
	view viewpoint
}

// openDesk finds the stack of a schedules command.
func openDesk(ctx context.Context, f *stackFlags) (desk, error) {
	s, err := openJobs(ctx, f)
	if err != nil {
		return desk{}, err
	}
	d, err := periodic.NewDesk(s.jobs, s.now)
	return desk{d, s.here()}, err
}

// openNames reads the command line of a command that takes names, and finds the stack.
func openNames(ctx context.Context, s streams, flags *flag.FlagSet, f *stackFlags, args []string) ([]string, desk, error) {
	names, err := parse(s, flags, args)
	if err != nil {
		return nil, desk{}, err
	}
	if len(names) == 0 {
		return nil, desk{}, misuse(s, flags, "it takes the names of periodic jobs")
	}
	d, err := openDesk(ctx, f)
	return names, d, err
}

// A scheduleOutcome is what became of one name, as a line.
type scheduleOutcome struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	// Job is the one that was enqueued, or joined.
	Job string `json:"job,omitempty"`
	// Next is the next occurrence, where it is known.
	Next *time.Time `json:"next_at,omitempty"`
	Why  string     `json:"why,omitempty"`
}

func (o scheduleOutcome) print(s streams, v viewpoint, asJSON bool) error {
	if asJSON {
		return jsonLine(s.out, o)
	}
	line := fmt.Sprintf("%-9s  %s", o.Status, plain(o.Name, 80))
	if o.Job != "" {
		line += "  " + plain(o.Job, 1000)
	}
	if o.Next != nil {
		line += "  next " + v.moment(*o.Next)
	}
	if o.Why != "" {
		line += "  " + plain(o.Why, 300)
	}
	_, err := fmt.Fprintln(s.out, line)
	return wrote(err)
}

// runOnSchedules runs a command that does something to each periodic job that it is
// told of.
func runOnSchedules(ctx context.Context, s streams, flags *flag.FlagSet, args []string, act func(context.Context, desk, string) (scheduleOutcome, error)) error {
	var at stackFlags
	at.add(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each periodic job, on a line")
	names, d, err := openNames(ctx, s, flags, &at, args)
	if err != nil {
		return err
	}
	bad := false
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := act(ctx, d, name)
		switch {
		case errors.Is(err, periodic.ErrUnknown):
			o = scheduleOutcome{Status: refused, Why: "there is no such periodic job; nightshift schedules list shows them"}
		case err != nil:
			o = scheduleOutcome{Status: failed, Why: err.Error()}
		}
		o.Name = name
		bad = bad || o.Status == refused || o.Status == failed
		if err := o.print(s, d.view, *asJSON); err != nil {
			return err
		}
	}
	if bad {
		return errSilent
	}
	return nil
}
