package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/standing"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

const queuesUsage = `Usage: nightshift queues COMMAND [flags]

  list       show how the queues stand: what waits, what may, and who works
  spill      show what is spilled, and say how fast it is released
  lend       lend the workers of one queue to another for a time
  pause      pause a queue for a time
  resume     let a paused queue go on

nightshift queues COMMAND --help says more.
`

var queuesGroup = command{name: "queues", summary: "list queues, with what waits in them; lend workers, pause", run: func(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "queues", queuesUsage, []command{queuesList, queuesSpill, queuesLend, queuesPause, queuesResume}, args)
}}

const queuesListUsage = `Usage: nightshift queues list [flags]

Shows the queues of the stack that runs with the data folder:

  visible      messages that a worker can take now
  delayed      messages that SQS holds back until their time
  in flight    messages that a worker has, or that are hidden until they are tried again
  letters      dead letters; see nightshift dlq
  limit        how many messages there may be, of all three kinds
  oldest       how long the oldest has waited for a worker; ? where nobody knows
  may wait     how long it may
  gate         what becomes of new jobs: open, degrading (they do less), spilling (they are
               kept in the table), replacing (they only take the place of one with their key),
               full (they are refused), unrelayed (they are refused, because the relay does not
               publish), unknown (they are refused, because the queue can't be read)
  workers      whether somebody works on it: paused, lent, borrowing; see nightshift queues lend

A queue that no task declares has no bounds and no gate. A queue is full when it is at its limit,
and until it is a twentieth below it; and when its oldest job has waited too long.

Jobs that wait in the table, scheduled, spilled or for the relay, have no message yet: see
nightshift jobs list --state scheduled, and nightshift queues spill.

Exit status: 0 for success, 1 when something could not be read, 2 for misuse.
`

var queuesList = command{name: "list", run: runQueuesList}

func runQueuesList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues list", queuesListUsage)
	var at stackFlags
	at.addData(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each queue, on a line; times are in seconds")
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plainArgs) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q", plainArgs)
	}
	stack, err := at.open(ctx, "")
	if err != nil {
		return err
	}
	queues, err := stack.found.Queues(ctx)
	if err != nil {
		return err
	}
	view := stack.here()
	var problems []error
	for _, q := range queues {
		if q.Problem != "" {
			problems = append(problems, fmt.Errorf("%s: %s", q.Queue, q.Problem))
		}
	}
	return errors.Join(append(problems, listing[standing.Queue]{
		none: "no queue is known", titles: "QUEUE\tVISIBLE\tDELAYED\tIN FLIGHT\tLETTERS\tLIMIT\tOLDEST\tMAY WAIT\tGATE\tWORKERS",
		row:     func(q standing.Queue) string { return queueRow(q, view) },
		details: func(q standing.Queue) any { return q },
	}.show(s, queues, *asJSON))...)
}

// queueRow is a queue's in the table.
func queueRow(q standing.Queue, view viewpoint) string {
	letters, limit, oldest, most, workers := "-", "-", "-", "-", q.Workers
	if q.Letters != nil {
		letters = fmt.Sprint(*q.Letters)
	}
	if q.Limit > 0 {
		limit, oldest, most = fmt.Sprint(q.Limit), "?", seconds(q.LongestWait)
	}
	if q.Age != nil {
		oldest = seconds(*q.Age)
	}
	if !q.Until.IsZero() {
		workers += ", until " + view.moment(q.Until)
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s", q.Queue, q.Visible, q.Delayed, q.InFlight, letters, limit, oldest, most, orDash(string(q.Gate)), workers)
}

func seconds(n float64) string { return sizing.Period(time.Duration(n * float64(time.Second))) }
