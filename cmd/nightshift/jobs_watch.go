package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const jobsWatchUsage = `Usage: nightshift jobs watch ID... [flags]

Follows jobs until all have ended. On a terminal each has a line, with a bar where its
progress is a measure:

  {"done": 2, "of": 5}    2 of 5
  {"percent": 40}         percent
  a number from 0 to 1    a share; 1 is the whole
  a number up to 100      percent

and else with the progress as it is. Elsewhere, or with --plain, each change is a line.
The lines are as wide as COLUMNS says, else as the terminal is. The jobs are read every second, more
seldom while nothing changes, and every five seconds at last. Ctrl-C ends the watching and
leaves the jobs alone.

Exit status: 0 when all are done, 1 when one is dead, was cancelled or is not there, or
the watching was ended, 2 for misuse.
` + whereJobs

var jobsWatch = command{name: "watch", run: runJobsWatch}

func runJobsWatch(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "jobs watch", jobsWatchUsage)
	var at stackFlags
	at.add(flags)
	plainly := flags.Bool("plain", false, "a line for each change, on a terminal too")
	asJSON := flags.Bool("json", false, "each change as one JSON object, on a line")
	ids, stack, err := openIDs(ctx, s, flags, &at, args)
	if err != nil {
		return err
	}
	w := &watcher{find: stack.find, now: stack.now}
	switch {
	case *asJSON:
		w.view = jsonChanges{s.out}
	case !*plainly && isTerminal(s.out):
		columns, charset := environment()
		view := newLiveView(s.out, lookOf(columns, charset))
		if columns == "" {
			view.width = func() int { return terminalWidth(s.out) }
		}
		w.view = view
	default:
		w.view = plainChanges{s.out}
	}
	return w.run(ctx, s, ids)
}

// How often jobs are read.
const (
	watchSoonest = time.Second
	watchLatest  = 5 * time.Second
	// watchTries is how often in a row reading may fail: a failure that is over by
	// the next time is nobody's concern.
	watchTries = 5
)

// A watched is one job that is followed.
type watched struct {
	id string
	// rec is the job as last read; State None until then, and where it is gone.
	rec store.Record
	// over tells that nothing more is to be expected.
	over bool
}

func (w *watched) changed(rec store.Record) bool {
	old := &w.rec
	return rec.State != old.State || rec.Attempt != old.Attempt || string(rec.Progress) != string(old.Progress) ||
		rec.CancelRequested != old.CancelRequested || !rec.NotBefore.Equal(old.NotBefore)
}

// A watchView shows what is followed.
type watchView interface {
	// changed tells of a change of a job.
	changed(w *watched, now time.Time) error
	// tick draws what moves, where something does: every is how often, or 0.
	tick(all []*watched, now time.Time) error
	every() time.Duration
	// end is called last.
	end() error
}

// A watcher follows jobs.
type watcher struct {
	find func(context.Context, string) (store.Record, error)
	now  func() time.Time // in the stack
	view watchView
}

// run follows jobs until all have ended, and fails unless all are done.
func (w *watcher) run(ctx context.Context, s streams, ids []string) error {
	all := make([]*watched, 0, len(ids))
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(o *watched) bool { return o.id == id }) {
			all = append(all, &watched{id: id, rec: store.Record{ID: job.ID(id)}})
		}
	}
	err := errors.Join(w.follow(ctx, all), w.view.end())
	if err != nil && ctx.Err() != nil {
		fmt.Fprintln(s.err, "no longer watched; the jobs go on")
		return errSilent
	}
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.rec.State != lifecycle.Done {
			return errSilent
		}
	}
	return nil
}

func (w *watcher) follow(ctx context.Context, all []*watched) error {
	wait, failures := watchSoonest, 0
	for {
		changed, err := w.poll(ctx, all)
		if failures++; err == nil {
			failures = 0
		}
		for _, one := range changed {
			if err := w.view.changed(one, w.now()); err != nil {
				return err
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failures == watchTries:
			return fmt.Errorf("after %d tries: %w", watchTries, err)
		case !slices.ContainsFunc(all, func(o *watched) bool { return !o.over }):
			return nil
		case len(changed) > 0:
			wait = watchSoonest
		default:
			wait = min(wait*3/2, watchLatest)
		}
		if err := w.pause(ctx, all, wait); err != nil {
			return err
		}
	}
}

// poll reads the jobs that have not ended, and gives those that changed. An error is
// that of the others.
func (w *watcher) poll(ctx context.Context, all []*watched) (changed []*watched, err error) {
	read := make([]store.Record, len(all))
	problems := make([]error, len(all))
	var reads errgroup.Group
	reads.SetLimit(8)
	for i, one := range all {
		if one.over {
			continue
		}
		reads.Go(func() error {
			read[i], problems[i] = w.find(ctx, one.id)
			if errors.Is(problems[i], store.ErrNotFound) {
				read[i], problems[i] = store.Record{ID: job.ID(one.id)}, nil
			}
			return nil
		})
	}
	_ = reads.Wait() // each has an error of its own
	for i, one := range all {
		if one.over || problems[i] != nil {
			continue
		}
		gone := read[i].State == lifecycle.None
		if gone || one.changed(read[i]) {
			one.rec, one.over = read[i], gone || read[i].State.Final()
			changed = append(changed, one)
		}
	}
	return changed, errors.Join(problems...)
}

// pause waits for the next poll, and lets the view draw.
func (w *watcher) pause(ctx context.Context, all []*watched, wait time.Duration) error {
	for until := time.Now().Add(wait); ; {
		if err := w.view.tick(all, w.now()); err != nil {
			return err
		}
		next := until
		if every := w.view.every(); every > 0 && time.Until(until) > every {
			next = time.Now().Add(every)
		}
		if err := pauseUntil(ctx, next); err != nil || next.Equal(until) {
			return err
		}
	}
}
