package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

const queuesUsage = `Usage: nightshift queues COMMAND [flags]

  list       show the queues, and how many messages they hold
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

  visible     messages that a worker can take now
  delayed     messages that SQS holds back until their time
  in flight   messages that a worker has, or that are hidden until they are tried again
  letters     dead letters; see nightshift dlq

Jobs that wait in the table, scheduled, spilled or for the relay, have no message yet: see
nightshift jobs list --state scheduled, and nightshift queues spill.

Exit status: 0 for success, 1 when something could not be counted, 2 for misuse.
`

var queuesList = command{name: "list", run: runQueuesList}

// queueDetails are a queue as --json shows it.
type queueDetails struct {
	Queue    string `json:"queue"`
	Visible  int    `json:"visible"`
	Delayed  int    `json:"delayed"`
	InFlight int    `json:"in_flight"`
	// Letters is absent where the stack knows no dead-letter queue.
	Letters    *int   `json:"dead_letters,omitempty"`
	URL        string `json:"url,omitempty"`
	LettersURL string `json:"dead_letters_url,omitempty"`
}

func runQueuesList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues list", queuesListUsage)
	var at stackFlags
	at.addData(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each queue, on a line")
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
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	if !*asJSON {
		fmt.Fprintln(table, "QUEUE\tVISIBLE\tDELAYED\tIN FLIGHT\tLETTERS")
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(stack.queues)) {
		q, err := count(ctx, queue.New(stack.client), name, stack.queues[name])
		switch {
		case err != nil:
			problems = append(problems, err)
		case *asJSON:
			problems = append(problems, jsonLine(s.out, q))
		default:
			letters := "-"
			if q.Letters != nil {
				letters = fmt.Sprint(*q.Letters)
			}
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", name, q.Visible, q.Delayed, q.InFlight, letters)
		}
	}
	return errors.Join(append(problems, wrote(table.Flush()))...)
}

// count counts what is in a queue and in its dead-letter queue.
func count(ctx context.Context, client *queue.SQS, name string, urls settings.QueueURLs) (queueDetails, error) {
	q := queueDetails{Queue: name, URL: urls.URL, LettersURL: urls.Letters}
	if urls.URL != "" {
		depth, err := client.Depth(ctx, urls.URL)
		if err != nil {
			return q, err
		}
		q.Visible, q.Delayed, q.InFlight = depth.Visible, depth.Delayed, depth.InFlight
	}
	if urls.Letters != "" {
		depth, err := client.Depth(ctx, urls.Letters)
		if err != nil {
			return q, err
		}
		letters := depth.Total()
		q.Letters = &letters
	}
	return q, nil
}
