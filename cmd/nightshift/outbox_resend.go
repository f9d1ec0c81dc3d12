package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/store"
)

const outboxResendUsage = `Usage: nightshift outbox resend ID... [flags]
       nightshift outbox resend --refused [flags]

Publishes events again: those of the ids, or all that their topics refused. Every
subscriber is given them, also those that had them: their jobs know that, and what
has ended does nothing. An event can be resent for a week after it happened, and as
long as it was not published.

An event of a FIFO topic is found by its --topic and --key as well, unless it was
refused. Resent, it comes after what was published of its key meanwhile.

Exit status: 0 when all will be published, 1 when something was refused or failed, 2
for misuse.
` + whereEvents

var outboxResend = command{name: "resend", run: runOutboxResend}

// A resending is one run of outbox resend.
type resending struct {
	streams
	*stack
	topic, key   string
	dryRun, json bool
	// found are the events that topics refused.
	found []store.Event
}

// An eventOutcome is what became of an event, as a line.
type eventOutcome struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Event  string `json:"event,omitempty"`
	Why    string `json:"why,omitempty"`
}

func runOutboxResend(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "outbox resend", outboxResendUsage)
	var at stackFlags
	at.add(flags)
	r := &resending{streams: s}
	flags.StringVar(&r.topic, "topic", "", "`name` of a FIFO topic")
	flags.StringVar(&r.key, "key", "", "`key` of the events, on a FIFO topic")
	refused := flags.Bool("refused", false, "resend all that topics refused")
	flags.BoolVar(&r.dryRun, "dry-run", false, "say what would be done, and do nothing")
	flags.BoolVar(&r.json, "json", false, "one JSON object for each event, on a line")
	ids, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case *refused == (len(ids) > 0):
		return misuse(s, flags, "it takes the ids of events, or --refused")
	case (r.topic == "") != (r.key == ""):
		return misuse(s, flags, "--topic and --key belong together: they find an event of a FIFO topic")
	case *refused && r.key != "":
		return misuse(s, flags, "--refused is for all topics and keys")
	}
	if r.stack, err = openJobs(ctx, &at); err != nil {
		return err
	}
	if r.found, err = r.jobs.RefusedEvents(ctx); err != nil {
		return err
	}
	if *refused {
		for _, e := range r.found {
			ids = append(ids, e.ID)
		}
	}
	return r.run(ctx, ids)
}

// run resends one event after the other.
func (r *resending) run(ctx context.Context, ids []string) error {
	bad := false
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		o := r.resend(ctx, id)
		bad = bad || o.Status == refused || o.Status == failed
		if err := r.print(o); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		fmt.Fprintln(r.err, "no events")
	}
	if r.dryRun && len(ids) > 0 {
		fmt.Fprintln(r.err, "nothing was changed")
	}
	if bad {
		return errSilent
	}
	return nil
}

func (r *resending) resend(ctx context.Context, id string) eventOutcome {
	e, err := r.find(ctx, id)
	o := eventOutcome{ID: id, Event: e.Name}
	switch {
	case errors.Is(err, store.ErrNotFound):
		o.Status, o.Why = refused, "there is no such event; one of a FIFO topic is found by --topic and --key as well"
		return o
	case err == nil && r.dryRun:
		o.Status, o.Why = "resent", "it is "+standOf(e)
		return o
	case err == nil:
		var resent bool
		if resent, err = r.jobs.Resend(ctx, e); err == nil && !resent {
			o.Status, o.Why = "resent", "by another"
			return o
		}
	}
	if o.Status = "resent"; err != nil {
		o.Status, o.Why = failed, err.Error()
	}
	return o
}

// find reads an event's row. One that was refused is known with its key.
func (r *resending) find(ctx context.Context, id string) (store.Event, error) {
	for _, e := range r.found {
		if e.ID == id {
			return e, nil
		}
	}
	return r.jobs.GetEvent(ctx, store.NewEvent{ID: id, Topic: r.topic, Key: r.key, FIFO: r.topic != ""})
}

func (r *resending) print(o eventOutcome) error {
	if r.json {
		return jsonLine(r.out, o)
	}
	line := fmt.Sprintf("%-9s  %s  %s", o.Status, plain(o.ID, 1000), orDash(plain(o.Event, 80)))
	if o.Why != "" {
		line += "  " + plain(o.Why, 300)
	}
	if _, err := fmt.Fprintln(r.out, line); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}
