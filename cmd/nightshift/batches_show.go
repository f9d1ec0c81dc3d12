package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const batchesShowUsage = `Usage: nightshift batches show ID [flags]

Shows how a batch stands: how many of its jobs ended how, and how many are pending.
--pending N also shows N of those: where they are, or that they are not there, since
they were never added. That reads the members' rows, from the first on.

Exit status: 0 for success, 1 where there is no such batch or for a failure, 2 for
misuse.
` + whereBatches

var batchesShow = command{name: "show", run: runBatchesShow}

func runBatchesShow(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "batches show", batchesShowUsage)
	var at stackFlags
	at.add(flags)
	pending := flags.Int("pending", 0, "show so many `members` that have not ended")
	asJSON := flags.Bool("json", false, "one JSON object, on a line")
	ids, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case len(ids) != 1:
		return misuse(s, flags, "it takes the id of one batch, but got %d: %q", len(ids), ids)
	case *pending < 0:
		return misuse(s, flags, "--pending is %d: want 0 or more", *pending)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	b, err := stack.jobs.Batch(ctx, ids[0])
	switch {
	case errors.Is(err, store.ErrNoBatch):
		return fmt.Errorf("there is no batch %q", ids[0])
	case err != nil:
		return err
	case *asJSON:
		return jsonLine(s.out, detailsOfBatch(b))
	}
	show := &jobShow{view: stack.here()}
	show.batch(b)
	if *pending > 0 && b.Pending() > 0 {
		members, err := stack.pendingMembers(ctx, b, *pending)
		if err != nil {
			return err
		}
		for _, m := range members {
			show.line(fmt.Sprintf("member %d", m.index), m.text)
		}
	}
	if _, err := io.WriteString(s.out, show.text.String()); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// batch writes a batch for people.
func (w *jobShow) batch(b store.Batch) {
	state := fmt.Sprintf("%d of %d members are pending", b.Pending(), b.Total-b.Skipped)
	if !b.Finished.IsZero() {
		state = "all members have ended"
	}
	w.line("batch", b.ID)
	w.line("state", state)
	w.line("ended", fmt.Sprintf("%d done, %d dead, %d cancelled", b.Done, b.Dead, b.Cancelled))
	if b.Members < b.Total {
		closed := fmt.Sprintf("%d of %d were said not to come", b.Total-b.Members, b.Total)
		if rest := b.Total - b.Members - b.Skipped; rest > 0 {
			closed += fmt.Sprintf("; %d of them are waited for until Close is called again, which did not come to its end", rest)
		}
		w.line("closed", closed)
	}
	w.line("created", w.view.moment(b.Created))
	w.line("finished", w.view.moment(b.Finished))
	w.line("then", "job "+string(b.Job))
}

// A pendingMember is one that has not ended.
type pendingMember struct {
	index int
	text  string
}

// readTogether is how many members are read side by side.
const readTogether = 16

// pendingMembers gives the first members that have not ended, at most so many.
func (s *stack) pendingMembers(ctx context.Context, b store.Batch, most int) (found []pendingMember, err error) {
	for from := 0; from < b.Members && len(found) < most; from += readTogether {
		texts := make([]string, min(readTogether, b.Members-from))
		reads, ctx := errgroup.WithContext(ctx)
		for i := range texts {
			reads.Go(func() (err error) {
				texts[i], err = s.pendingMember(ctx, job.Member(b.Seed, from+i))
				return err
			})
		}
		if err := reads.Wait(); err != nil {
			return nil, err
		}
		for i, text := range texts {
			if text != "" && len(found) < most {
				found = append(found, pendingMember{from + i, text})
			}
		}
	}
	return found, nil
}

// pendingMember tells where a member is; empty where it has ended.
func (s *stack) pendingMember(ctx context.Context, id job.ID) (string, error) {
	rec, err := s.jobs.Get(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "is not there: it was not added, or ended long ago", nil
	case err != nil:
		return "", err
	case rec.Follow == nil || rec.Follow.Member == nil:
		return "", nil
	}
	return strings.Join([]string{"job", string(rec.ID), rec.Task, string(rec.State)}, " "), nil
}
