package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const jobsListUsage = `Usage: nightshift jobs list [flags]

Shows jobs, the newest first.

There is no index of all jobs, which every write would have to pay for: the table is
read whole, in four parts side by side, whatever the filter. That costs half a read
unit for each 4 KB of it (131,072 units a GB) and takes its time: --rate says how
fast. --any reads no further than it must, and shows the jobs in no order; --limit 0
shows all, as they are found. What was written in the last second may be missing.

Jobs can be picked; each flag that is given must match. A TIME is a duration before
now (90m, 36h), a date (2026-03-01) or a time (2026-03-01T09:00:00Z).

Exit status: 0 for success, 1 for a failure or rows that can't be read, 2 for misuse.
` + whereJobs

var jobsList = command{name: "list", run: runJobsList}

// A jobsListing is one run of jobs list.
type jobsListing struct {
	streams
	filter *jobFilter
	limit  int
	any    bool
	json   bool
	rate   float64

	table *tabwriter.Writer
	view  viewpoint
	rows  int
	// read counts the jobs that were looked at.
	read       int
	said       time.Time
	unreadable bool
}

func newJobsListing(s streams, flags *flag.FlagSet, at *stackFlags) *jobsListing {
	l := &jobsListing{streams: s, filter: newJobFilter(flags, at), table: tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)}
	flags.IntVar(&l.limit, "limit", 50, "`number` of jobs to show at most; 0 means all")
	flags.BoolVar(&l.any, "any", false, "show any jobs that match and read no more than that takes")
	flags.BoolVar(&l.json, "json", false, "one JSON object for each job, on a line")
	flags.Float64Var(&l.rate, "rate", 10, "pages of 1 MB to read in a second, as a `number` from 0.01 to 1000")
	return l
}

func runJobsList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "jobs list", jobsListUsage)
	var at stackFlags
	at.add(flags)
	list := newJobsListing(s, flags, &at)
	plainArgs, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case len(plainArgs) > 0:
		return misuse(s, flags, "it takes no arguments, but got %q; jobs show takes an id", plainArgs)
	case list.limit < 0:
		return misuse(s, flags, "--limit is %d: want 0 or more", list.limit)
	case !(list.rate >= 0.01 && list.rate <= 1000):
		return misuse(s, flags, "--rate is %v: want 0.01 to 1000", list.rate)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	list.view = stack.here()
	return list.run(ctx, stack.jobs.ScanPage)
}

// run reads the table and shows what matches.
func (l *jobsListing) run(ctx context.Context, page func(context.Context, store.Scan) (store.Scanned, error)) error {
	l.said = time.Now()
	found := &newest{most: l.limit}
	take := func(rec store.Record) error {
		found.add(l.lean(rec))
		return nil
	}
	if l.any || l.limit == 0 {
		take = l.showUntilEnough
	}
	scan := &tableScan{page: page, pace: newPace(l.rate), each: l.each(take), unreadable: l.tell}
	err := scan.run(ctx)
	for _, rec := range found.sorted() {
		err = errors.Join(err, l.show(rec))
	}
	if err := errors.Join(err, l.table.Flush()); err != nil {
		return err
	}
	switch {
	case l.rows == 0 && !l.json:
		fmt.Fprintf(l.err, "no job matches; %d were looked at\n", l.read)
	case found.seen > l.rows:
		fmt.Fprintf(l.err, "the newest %d of %d that match; --limit shows more\n", l.rows, found.seen)
	}
	if l.unreadable {
		return errSilent
	}
	return nil
}

// each hands the jobs of a page that match to take.
func (l *jobsListing) each(take func(store.Record) error) func([]store.Record) error {
	return func(page []store.Record) error {
		l.read += len(page)
		if now := time.Now(); now.Sub(l.said) >= progressEvery {
			l.said = now
			fmt.Fprintf(l.err, "so far: %d jobs read\n", l.read)
		}
		for i := range page {
			if page[i].Gone(l.view.now) || !l.filter.matches(&page[i]) {
				continue
			}
			if err := take(page[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// showUntilEnough shows a job at once.
func (l *jobsListing) showUntilEnough(rec store.Record) error {
	if err := l.show(rec); err != nil {
		return err
	}
	if l.rows == l.limit {
		return errEnough
	}
	return nil
}

// flushEvery is after how many rows a long table is written out.
const flushEvery = 1000

func (l *jobsListing) show(rec store.Record) error {
	l.rows++
	if l.json {
		return jsonLine(l.out, detailsOf(rec))
	}
	if l.rows == 1 {
		fmt.Fprintln(l.table, "ID\tTASK\tSTATE\tATTEMPTS\tWHEN\tPROGRESS")
	}
	_, err := fmt.Fprintf(l.table, "%s\t%s\t%s\t%s\t%s\t%s\n", plain(string(rec.ID), 1000), orDash(plain(rec.Task, 80)), rec.State,
		ofMost(rec.Attempt, rec.MaxAttempts), l.view.ageOrDue(rec), orDash(plain(measureOf(rec.Progress).String(), 40)))
	if err == nil && l.rows%flushEvery == 0 {
		err = l.table.Flush()
	}
	return err
}

// ageOrDue tells when a job is due that waits for its time, and of every other when
// it was made.
func (v viewpoint) ageOrDue(rec store.Record) string {
	if rec.Spilled {
		return "spilled " + v.distance(rec.Created)
	}
	if waitsForTime(rec, v.now) {
		return "due " + v.distance(rec.NotBefore)
	}
	return "made " + v.distance(rec.Created)
}

// waitsForTime tells whether a job waits for its time, not for a worker.
func waitsForTime(rec store.Record, now time.Time) bool {
	return rec.State == lifecycle.Scheduled && !rec.Spilled || rec.State == lifecycle.Queued && rec.NotBefore.After(now.Add(lifecycle.Tolerance))
}

// lean leaves out what a table does not show, which may be large.
func (l *jobsListing) lean(rec store.Record) store.Record {
	if !l.json {
		rec.Args, rec.Cursor, rec.Result = nil, nil, nil
	}
	return rec
}

func (l *jobsListing) tell(err error) {
	l.unreadable = true
	fmt.Fprintf(l.err, "rows can't be read and are left out: %s\n", plain(err.Error(), 300))
}
