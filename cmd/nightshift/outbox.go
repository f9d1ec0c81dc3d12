package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

const outboxUsage = `Usage: nightshift outbox COMMAND [flags]

Events lie in the outbox until their topic has taken them, and for a week after that.

  list       show events that their topics refused, or that wait
  resend     publish events again

nightshift outbox COMMAND --help says more of each.
`

var outboxGroup = command{name: "outbox", summary: "list and resend events", run: func(ctx context.Context, s streams, args []string) error {
	return runGroup(ctx, s, "outbox", outboxUsage, []command{outboxList, outboxResend}, args)
}}

// whereEvents is the part of every outbox command's help that says which events are
// meant.
const whereEvents = "\nThe events" + inTheStack

// An eventDetails is an event as JSON.
type eventDetails struct {
	ID    string `json:"id"`
	Event string `json:"event"`
	Topic string `json:"topic"`
	// Key is what it happened to, and FIFO tells that events of one key are in
	// order: it takes topic and key then to resend it.
	Key     string           `json:"key,omitempty"`
	FIFO    bool             `json:"fifo,omitempty"`
	Version int              `json:"version"`
	State   string           `json:"state"`
	Due     *time.Time       `json:"due_at,omitempty"`
	Sent    *time.Time       `json:"sent_at,omitempty"`
	Created time.Time        `json:"created_at"`
	N       int64            `json:"n"`
	Error   *store.JobError  `json:"error,omitempty"`
	Trace   string           `json:"trace,omitempty"`
	Data    *json.RawMessage `json:"data,omitempty"`
}

// standOf tells how it stands with an event: refused, waiting, put off or sent.
func standOf(e store.Event) string {
	switch {
	case e.Refused != nil:
		return "refused"
	case e.Publication != nil && !e.Due.IsZero():
		return "put off"
	case e.Publication != nil:
		return "waiting"
	}
	return "sent"
}

func detailsOfEvent(e store.Event) eventDetails {
	d := eventDetails{
		ID: e.ID, Event: e.Name, Topic: e.Topic, Key: e.Key, FIFO: e.FIFO, Version: e.Version, State: standOf(e),
		Due: known(e.Due), Sent: known(e.Sent), Created: e.Created, N: e.N, Error: e.Refused, Trace: e.Trace,
	}
	if json.Valid(e.Data) {
		data := json.RawMessage(e.Data)
		d.Data = &data
	}
	return d
}

// known gives a time, or nothing where there is none.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
