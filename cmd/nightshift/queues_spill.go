package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const queuesSpillUsage = `Usage: nightshift queues spill [QUEUE] [flags]

Shows how many jobs of each queue are spilled: kept in the table until the queue is short.
The sweep releases them each minute, the oldest first, as far as there is room.

With a queue it changes how: --rate says how many a second at most, --rate 0 leaves that to
the sweep again (what the workers finish beyond what arrives, a tenth of it at least), --pause
holds all of them back and --resume lets them go on. What is said holds until somebody says
otherwise, from the next run of the sweep on.

One spilled job is shown by nightshift jobs show, and is put into its queue, whatever waits
there, by nightshift jobs retry.

The queues` + inTheStack + `There only queues are known of which something was said before.

Exit status: 0 for success, 1 when it failed, 2 for misuse.
`

var queuesSpill = command{name: "spill", run: runQueuesSpill}

// leastRelease and mostRelease bound the rate that an operator may ask for: one job in
// a quarter of an hour or so, and what a hundred thousand workers finish in a second each.
const leastRelease, mostRelease = 0.001, 100_000

// spillChange is what is to be said of a queue's release.
type spillChange struct {
	rate          float64
	rated         bool
	pause, resume bool
}

// spilledQueue is a queue's spill as --json shows it.
type spilledQueue struct {
	Queue string `json:"queue"`
	// Spilled is how many jobs wait for their release.
	Spilled int `json:"spilled"`
	// Rate is how many are released in a second; absent where that is left to the
	// sweep.
	Rate   job.Rate `json:"rate,omitempty"`
	Paused bool     `json:"paused"`
	// Released is when the sweep last released some.
	Released time.Time `json:"released_at,omitzero"`
}

func runQueuesSpill(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues spill", queuesSpillUsage)
	var at stackFlags
	at.add(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each queue, on a line")
	var c spillChange
	flags.Func("rate", "release `N` jobs a second; 0 leaves it to the sweep", func(text string) error {
		c.rated = true
		if err := rateFlag(&c.rate)(text); err != nil || c.rate != 0 && (c.rate < leastRelease || c.rate > mostRelease) {
			return fmt.Errorf("want a number of jobs a second, 0 or more: from %v to %s, or 0", leastRelease, sizing.Number(mostRelease))
		}
		return nil
	})
	flags.BoolVar(&c.pause, "pause", false, "release nothing")
	flags.BoolVar(&c.resume, "resume", false, "release again")
	names, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	changes := c.rated || c.pause || c.resume
	switch {
	case len(names) > 1:
		return misuse(s, flags, "it takes one queue, but got %q", names)
	case c.pause && c.resume:
		return misuse(s, flags, "--pause and --resume are two commands")
	case changes && len(names) == 0:
		return misuse(s, flags, "say which queue is meant")
	}
	stack, err := at.open(ctx, ", or name one in AWS with --table")
	if err != nil {
		return err
	}
	if err := stack.canSpill(ctx, names); err != nil {
		return err
	}
	if changes {
		if err := stack.changeSpill(ctx, names[0], c); err != nil {
			return err
		}
	}
	found, err := stack.spills(ctx, names)
	if err != nil {
		return err
	}
	view := viewpoint{now: stack.now()}
	return listing[spilledQueue]{
		none: "no queue is known", titles: "QUEUE\tSPILLED\tRATE\tSTATE\tRELEASED",
		row:     func(q spilledQueue) string { return q.row(view) },
		details: func(q spilledQueue) any { return q },
	}.show(s, found, *asJSON)
}

// canSpill looks whether there are such queues, and whether they may spill. In AWS, where
// the queues are not known, those are that are declared or of which something was said.
func (s *stack) canSpill(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	known := map[string]bool{} // whether it is FIFO
	for name, urls := range s.queues {
		known[name] = strings.HasSuffix(urls.URL, ".fifo")
	}
	if len(s.queues) == 0 {
		rates, err := s.jobs.SpillRates(ctx)
		if err != nil {
			return err
		}
		for name := range rates {
			known[name] = false
		}
		for _, task := range declared() {
			q := task.Definition().Policy.Queue
			known[q.Name] = q.FIFO
		}
	}
	for _, name := range names {
		switch fifo, ok := known[name]; {
		case !ok:
			return fmt.Errorf("there is no such queue: %q: use one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case fifo:
			return fmt.Errorf("the queue %s is FIFO and spills nothing: a job that waits in the table would be overtaken by its group", name)
		}
	}
	return nil
}

// changeSpill says how a queue's spilled jobs are released from now on.
func (s *stack) changeSpill(ctx context.Context, name string, c spillChange) error {
	rates, err := s.jobs.SpillRates(ctx)
	if err != nil {
		return err
	}
	now := rates[name]
	if c.rated {
		now.Rate = job.Rate(c.rate)
	}
	return s.jobs.SetSpillRate(ctx, name, now.Rate, (now.Paused || c.pause) && !c.resume)
}

// spills reads how the spills of some queues stand, or of all that are known.
func (s *stack) spills(ctx context.Context, names []string) ([]spilledQueue, error) {
	rates, err := s.jobs.SpillRates(ctx)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		known := maps.Clone(rates)
		for name := range s.queues {
			known[name] = rates[name]
		}
		names = slices.Sorted(maps.Keys(known))
	}
	var all []spilledQueue
	for _, name := range names {
		// The declaration, and so the number of shards, is not known here.
		counters, err := s.jobs.Counters(ctx, store.CountSpilled, name, sizing.MostShards)
		if err != nil {
			return nil, err
		}
		q := spilledQueue{Queue: name, Rate: rates[name].Rate, Paused: rates[name].Paused, Released: rates[name].Released}
		for _, c := range counters {
			q.Spilled += c.Used
		}
		all = append(all, q)
	}
	return all, nil
}

// row is the queue's in the table.
func (q spilledQueue) row(view viewpoint) string {
	rate, state, released := "by itself", "released", "-"
	if q.Rate > 0 {
		rate = perSecond(q.Rate)
	}
	switch {
	case q.Paused:
		state = "paused"
	case q.Spilled == 0 && q.Released.IsZero():
		state = "-" // it has never spilled
	}
	if !q.Released.IsZero() {
		released = view.distance(q.Released)
	}
	return fmt.Sprintf("%s\t%d\t%s\t%s\t%s", q.Queue, q.Spilled, rate, state, released)
}
