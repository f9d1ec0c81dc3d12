package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const batchesUsage = `Usage: nightshift batches COMMAND [flags]

A batch is some jobs, and one that is enqueued when all of them have ended.

  list       show the batches that there are
  show       show how one batch stands

nightshift batches COMMAND --help says more of each.
`

var batchesGroup = command{name: "batches", summary: "list and show batches of jobs", run: func(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "batches", batchesUsage, []command{batchesList, batchesShow}, args)
}}

// whereBatches is the part of every batches command's help that says which are meant.
const whereBatches = "\nThe batches" + inTheStack

const batchesListUsage = `Usage: nightshift batches list [flags]

Shows the batches that have not ended, the oldest first; --all shows those that have
as well. Batches have no index: the table is read whole, which costs half a read unit
for each 4 KB of it, and takes its time: --rate says how fast.

One that is old and has members pending may never have been filled: its producer
died, and nobody went on. nightshift batches show --pending 10 tells.

Exit status: 0 for success, 1 for a failure or rows that can't be read, 2 for misuse.
` + whereBatches

var batchesList = command{name: "list", run: runBatchesList}

func runBatchesList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "batches list", batchesListUsage)
	var at stackFlags
	at.add(flags)
	all := flags.Bool("all", false, "also show batches that have ended")
	asJSON := flags.Bool("json", false, "one JSON object for each batch, on a line")
	rate := flags.Float64("rate", 10, "pages of 1 MB to read in a second, as a `number` from 0.01 to 1000")
	names, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case len(names) > 0:
		return misuse(s, flags, "it takes no arguments, but got %q", names)
	case !(*rate >= 0.01 && *rate <= 1000):
		return misuse(s, flags, "--rate is %v: want 0.01 to 1000", *rate)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	batches, unreadable, err := stack.batches(ctx, *rate, *all)
	if err != nil {
		return err
	}
	if err := showBatches(s, stack.here(), batches, *asJSON); err != nil {
		return err
	}
	if err := errors.Join(unreadable...); err != nil {
		fmt.Fprintf(s.err, "rows can't be read and are left out: %s\n", plain(err.Error(), 300))
		return errSilent
	}
	return nil
}

// batches reads the table for batches, and counts those that have not ended.
func (s *stack) batches(ctx context.Context, rate float64, ended bool) (batches []store.Batch, unreadable []error, err error) {
	scan := &tableScan{
		page: s.jobs.ScanPage, pace: newPace(rate),
		each:       func([]store.Record) error { return nil },
		batches:    func(page []store.Batch) { batches = append(batches, page...) },
		unreadable: func(err error) { unreadable = append(unreadable, err) },
	}
	if err := scan.run(ctx); err != nil {
		return nil, nil, err
	}
	batches = slices.DeleteFunc(batches, func(b store.Batch) bool { return !ended && !b.Finished.IsZero() })
	slices.SortFunc(batches, func(a, b store.Batch) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	for i, b := range batches {
		if !b.Finished.IsZero() {
			continue
		}
		now, err := s.jobs.Batch(ctx, b.ID)
		if err != nil && !errors.Is(err, store.ErrNoBatch) {
			return nil, nil, err
		}
		if err == nil {
			batches[i] = now
		}
	}
	return batches, unreadable, nil
}

func showBatches(s streams, v viewpoint, batches []store.Batch, asJSON bool) error {
	return listing[store.Batch]{
		none:   "no batches",
		titles: "ID\tMEMBERS\tDONE\tDEAD\tCANCELLED\tPENDING\tMADE\tENDED",
		row: func(b store.Batch) string {
			ended := "-"
			if !b.Finished.IsZero() {
				ended = v.distance(b.Finished)
			}
			return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s", plain(b.ID, 100), b.Total-b.Skipped, b.Done, b.Dead, b.Cancelled, b.Pending(), v.distance(b.Created), ended)
		},
		details: func(b store.Batch) any { return detailsOfBatch(b) },
	}.show(s, batches, asJSON)
}

// A batchDetails is a batch as JSON.
type batchDetails struct {
	ID        string     `json:"id"`
	Total     int        `json:"total"`
	Skipped   int        `json:"skipped,omitempty"`
	Done      int        `json:"done"`
	Dead      int        `json:"dead"`
	Cancelled int        `json:"cancelled"`
	Pending   int        `json:"pending"`
	Job       job.ID     `json:"job"`
	Created   time.Time  `json:"created_at"`
	Finished  *time.Time `json:"finished_at,omitempty"`
}

func detailsOfBatch(b store.Batch) batchDetails {
	return batchDetails{
		ID: b.ID, Total: b.Total, Skipped: b.Skipped, Done: b.Done, Dead: b.Dead, Cancelled: b.Cancelled,
		Pending: b.Pending(), Job: b.Job, Created: b.Created, Finished: known(b.Finished),
	}
}
