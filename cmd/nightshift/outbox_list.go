package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/store"
)

const outboxListUsage = `Usage: nightshift outbox list [flags]

Shows the events that their topics refused for good, the oldest first. They have an
index, and are cheap to find; the index lags by a moment.

--waiting also shows those that wait for the relay, and those that were put off since
their topic takes nothing for now. They have no index: the table is read whole for
that, which costs half a read unit for each 4 KB of it, and takes its time: --rate
says how fast.

Exit status: 0 for success, 1 for a failure or rows that can't be read, 2 for misuse.
` + whereEvents

var outboxList = command{name: "list", run: runOutboxList}

// An eventFilter picks events; each part that is given must match.
type eventFilter struct{ name, topic string }

func (f eventFilter) matches(e store.Event) bool {
	return (f.name == "" || f.name == e.Name) && (f.topic == "" || f.topic == e.Topic)
}

func runOutboxList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "outbox list", outboxListUsage)
	var at stackFlags
	at.add(flags)
	var filter eventFilter
	flags.StringVar(&filter.name, "event", "", "`name` of the event: recipe.published")
	flags.StringVar(&filter.topic, "topic", "", "`name` of the topic")
	waiting := flags.Bool("waiting", false, "also show what waits; reads the whole table")
	asJSON := flags.Bool("json", false, "one JSON object for each event, on a line")
	rate := flags.Float64("rate", 10, "pages of 1 MB to read in a second, as a `number` from 0.01 to 1000")
	plainArgs, err := parse(s, flags, args)
	switch {
	case err != nil:
		return err
	case len(plainArgs) > 0:
		return misuse(s, flags, "it takes no arguments, but got %q", plainArgs)
	case !(*rate >= 0.01 && *rate <= 1000):
		return misuse(s, flags, "--rate is %v: want 0.01 to 1000", *rate)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	events, err := stack.jobs.RefusedEvents(ctx)
	if err != nil {
		return err
	}
	var unreadable []error
	if *waiting {
		more, bad, err := stack.waitingEvents(ctx, *rate)
		if err != nil {
			return err
		}
		events, unreadable = append(events, more...), bad
	}
	events = slices.DeleteFunc(events, func(e store.Event) bool { return !filter.matches(e) })
	slices.SortFunc(events, oldestEvent)
	if err := showEvents(s, stack.here(), events, *asJSON); err != nil {
		return err
	}
	if err := errors.Join(unreadable...); err != nil {
		fmt.Fprintf(s.err, "rows can't be read and are left out: %s\n", plain(err.Error(), 300))
		return errSilent
	}
	return nil
}

// waitingEvents reads the table for events that ask to be published. unreadable are
// rows that make no sense.
func (s *stack) waitingEvents(ctx context.Context, rate float64) (events []store.Event, unreadable []error, err error) {
	scan := &tableScan{
		page: s.jobs.ScanPage, pace: newPace(rate),
		each:       func([]store.Record) error { return nil },
		events:     func(page []store.Event) { events = append(events, page...) },
		unreadable: func(err error) { unreadable = append(unreadable, err) },
	}
	err = scan.run(ctx)
	return events, unreadable, err
}

// oldestEvent orders events by when they happened, and those of one millisecond by ID,
// so that two listings agree.
func oldestEvent(a, b store.Event) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

func showEvents(s streams, v viewpoint, events []store.Event, asJSON bool) error {
	return listing[store.Event]{
		none:   "no events",
		titles: "ID\tEVENT\tTOPIC\tKEY\tSTATE\tWHEN\tREASON",
		row: func(e store.Event) string {
			when, reason := "happened "+v.distance(e.Created), ""
			if !e.Due.IsZero() {
				when = "due " + v.distance(e.Due)
			}
			if e.Refused != nil {
				reason = e.Refused.Message
			}
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s", plain(e.ID, 40), plain(e.Name, 80), plain(e.Topic, 40), orDash(plain(e.Key, 60)), standOf(e), when, orDash(plain(reason, 200)))
		},
		details: func(e store.Event) any { return detailsOfEvent(e) },
	}.show(s, events, asJSON)
}
