package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const dlqShowUsage = `Usage: nightshift dlq show ID [flags]

Shows one letter, and the job that it tells of as the job is now. ID is a job's, or
SQS's id of a message that can't be read. The queue is read until the letter is
found; nothing is changed.
` + where

var dlqShow = command{name: "show", run: runDLQShow}

func runDLQShow(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "dlq show", dlqShowUsage)
	at := newTargetFlags(flags)
	asJSON := flags.Bool("json", false, "one JSON object, on a line")
	ids, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(ids) != 1 {
		return misuse(s, flags, "it takes the id of one job, but got %d: %q", len(ids), ids)
	}
	if wrong := at.check(); wrong != "" {
		return misuse(s, flags, "%s", wrong)
	}
	place, err := at.open(ctx)
	if err != nil {
		return err
	}
	d, err := place.find(ctx, s, ids[0])
	switch {
	case err != nil:
		return err
	case d.Letter == nil && d.Job == nil:
		return fmt.Errorf("there is neither a letter nor a job %q", ids[0])
	case *asJSON:
		return jsonLine(s.out, d)
	}
	return d.print(s.out)
}

// details are what is known of a letter.
type details struct {
	Letter *deadletter.Letter `json:"letter,omitempty"`
	Job    *jobDetails        `json:"job,omitempty"`
}

// find looks for a letter and for its job.
func (p *place) find(ctx context.Context, s streams, id string) (details, error) {
	var d details
	for _, t := range p.targets {
		o := deadletter.Options{Filter: deadletter.Filter{IDs: []string{id}}, Max: 1, Each: func(r deadletter.Result) { d.Letter = &r.Letter }}
		summary, err := t.List(ctx, o)
		if err != nil {
			return d, err
		}
		if d.Letter != nil {
			break
		}
		incomplete(s, t.name, summary)
	}
	if d.Letter != nil {
		id = string(d.Letter.Job)
	}
	jobID, err := job.ParseID(id)
	if err != nil {
		return d, nil // a message's
	}
	rec, err := p.jobs.Get(ctx, jobID)
	if errors.Is(err, store.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	found := detailsOf(rec)
	d.Job = &found
	return d, nil
}

// print writes the details for people, without what is not known.
func (d details) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" && value != "-" {
			fmt.Fprintf(table, "%s\t%s\n", name, plain(value, 4000))
		}
	}
	if l := d.Letter; l != nil {
		fmt.Fprintln(table, "letter")
		line("  message", l.MessageID)
		line("  arrived", moment(l.ArrivedAt))
		line("  standing", standingOf(*l))
		line("  job", string(l.Job))
		line("  task", l.Task)
		line("  queue", l.Queue)
		line("  client", l.Client)
		line("  trace", l.Trace)
		line("  attempts", attempts(*l))
		line("  code", l.Code)
		line("  reason", l.Reason)
		line("  refused", l.Refused)
		line("  created", moment(l.CreatedAt))
		line("  started", moment(l.StartedAt))
		line("  died", moment(l.DiedAt))
		line("  body", l.Body)
		for _, name := range slices.Sorted(maps.Keys(l.Attributes)) {
			a := l.Attributes[name]
			line("  attribute "+plain(name, 256), fmt.Sprintf("%s %s%x", a.Type, a.Text, a.Binary))
		}
	}
	if j := d.Job; j != nil {
		fmt.Fprintln(table, "job")
		line("  id", string(j.ID))
		line("  state", string(j.State))
		line("  task", j.Task)
		line("  attempts", ofMost(j.Attempts, j.MaxAttempts))
		line("  args", string(j.Args))
		line("  args object", j.ArgsObject)
		if j.Error != nil {
			line("  code", j.Error.Code)
			line("  error", j.Error.Message)
		}
		line("  created", moment(j.Created))
		line("  finished", moment(j.Finished))
		line("  kept until", moment(j.Expires))
	}
	return wrote(table.Flush())
}
