package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/periodic"
)

const schedulesListUsage = `Usage: nightshift schedules list [flags]

Shows the periodic jobs with their expressions, their next occurrence and the latest one
that was enqueued or given up. The state is

  on         it comes round
  paused     it enqueues nothing until it is resumed
  over       no occurrence will come any more
  new        the function has not written its expression yet
  gone       no function has declared it for hours

Exit status: 0 for success, 1 for a failure, 2 for misuse.
` + whereSchedules

var schedulesList = command{name: "list", run: runSchedulesList}

// A scheduleDetails is a periodic job as JSON.
type scheduleDetails struct {
	Name       string     `json:"name"`
	Expression string     `json:"expression,omitempty"`
	Zone       string     `json:"zone,omitempty"`
	State      string     `json:"state"`
	Next       *time.Time `json:"next_at,omitempty"`
	Last       *time.Time `json:"last_at,omitempty"`
	// PausedSince is there while it is paused.
	PausedSince *time.Time `json:"paused_since,omitempty"`
	// Asked is when somebody asked for a run that no function has seen yet.
	Asked *time.Time    `json:"asked_at,omitempty"`
	Ran   *periodic.Run `json:"ran,omitempty"`
}

// unseen is how long a periodic job is not declared until it counts as gone. Functions
// note the hour in which they do.
const unseen = 3 * time.Hour

func detailsOfSchedule(s periodic.Status, now time.Time) scheduleDetails {
	d := scheduleDetails{
		Name: s.Name, State: "on", Expression: s.Expression, Next: known(s.Next), Last: known(s.Last),
		PausedSince: known(s.PausedSince), Asked: known(s.Asked), Ran: s.Ran,
	}
	if s.Expression != "" {
		d.Zone = s.Zone
	}
	switch {
	case !s.Seen.IsZero() && now.Sub(s.Seen) > unseen:
		d.State, d.Next = "gone", nil
	case s.Paused:
		d.State = "paused"
	case s.Expression == "":
		d.State = "new"
	case s.Next.IsZero():
		d.State = "over"
	}
	return d
}

func runSchedulesList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "schedules list", schedulesListUsage)
	var at stackFlags
	at.add(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each periodic job, on a line")
	plainArgs, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case len(plainArgs) > 0:
		return misuse(s, flags, "it takes no arguments, but got %q", plainArgs)
	}
	d, err := openDesk(ctx, &at)
	if err != nil {
		return err
	}
	all, err := d.List(ctx)
	if err != nil {
		return err
	}
	details := make([]scheduleDetails, len(all))
	for i, status := range all {
		details[i] = detailsOfSchedule(status, d.view.now)
	}
	return showSchedules(s, d.view, details, *asJSON)
}

func showSchedules(s streams, v viewpoint, all []scheduleDetails, asJSON bool) error {
	return listing[scheduleDetails]{
		none:   "no periodic jobs: none are declared, or their function has not looked yet",
		titles: "NAME\tEXPRESSION\tZONE\tSTATE\tNEXT\tLAST",
		row: func(d scheduleDetails) string {
			state := d.State
			if d.PausedSince != nil {
				state += " " + v.distance(*d.PausedSince)
			}
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s", plain(d.Name, 80), orDash(plain(d.Expression, 100)), orDash(plain(d.Zone, 60)), state, maybe(v, d.Next), maybe(v, d.Last))
		},
		details: func(d scheduleDetails) any { return d },
	}.show(s, all, asJSON)
}

// maybe shows a moment that may be missing.
func maybe(v viewpoint, t *time.Time) string {
	if t == nil {
		return "-"
	}
	return v.moment(*t)
}
