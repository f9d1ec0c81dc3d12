package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// happen puts an event into the outbox.
func (d *deadStack) happen(n store.NewEvent) store.Event {
	d.t.Helper()
	id, err := d.jobs.NewID()
	if err != nil {
		d.t.Fatal(err)
	}
	n.ID, n.Name, n.Version, n.Data = string(id), "recipe.published", 1, []byte(`{"id":"soup"}`)
	if err := d.jobs.Transact(d.t.Context(), d.jobs.EventWrite(n)); err != nil {
		d.t.Fatal(err)
	}
	return d.event(n)
}

func (d *deadStack) event(n store.NewEvent) store.Event {
	d.t.Helper()
	e, err := d.jobs.GetEvent(d.t.Context(), n)
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

func (d *deadStack) refuse(e store.Event, reason string) {
	d.t.Helper()
	if err := d.jobs.EventRefused(d.t.Context(), d.event(e.NewEvent), errors.New(reason)); err != nil {
		d.t.Fatal(err)
	}
}

func TestOutboxOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	nobody := strings.Repeat("0", 26)
	waits := d.happen(store.NewEvent{Topic: "recipes", Key: "recipe/1"})
	bad := d.happen(store.NewEvent{Topic: "recipes"})
	d.refuse(bad, "too \x1b[31m long")
	ordered := d.happen(store.NewEvent{Topic: "changes", Key: "recipe/2", FIFO: true})
	badOrdered := d.happen(store.NewEvent{Topic: "changes", Key: "recipe/3", FIFO: true})
	d.refuse(badOrdered, "bad characters")

	t.Run("list", func(t *testing.T) {
		d := d.on(t)
		refused := d.run("outbox", "list")
		for _, want := range []string{"REASON", bad.ID + "  recipe.published  recipes  -", "refused  happened ", "too  [31m long", badOrdered.ID, "recipe/3"} {
			d.want(refused, 0, want, "")
		}
		if strings.Contains(refused.out, waits.ID) || strings.Contains(refused.out, "\x1b") {
			t.Errorf("list shows\n%s", refused.out)
		}
		all := d.run("outbox", "list", "--waiting")
		for _, e := range []store.Event{waits, bad, ordered, badOrdered} {
			d.want(all, 0, e.ID, "")
		}
		picked := d.run("outbox", "list", "--waiting", "--topic", "changes", "--event", "recipe.published", "--json")
		shown := map[string]eventDetails{}
		for line := range strings.Lines(picked.out) {
			var e eventDetails
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Errorf("%v: %s", err, line)
			}
			shown[e.ID] = e
		}
		if line, other := shown[ordered.ID], shown[badOrdered.ID]; picked.code != 0 || len(shown) != 2 || other.State != "refused" ||
			!line.FIFO || line.Key != "recipe/2" || line.State != "waiting" && line.State != "put off" ||
			line.Data == nil || string(*line.Data) != `{"id":"soup"}` || !line.Created.Equal(ordered.Created) {
			t.Errorf("%+v", picked)
		}
		d.want(d.run("outbox", "list", "--event", "recipe.eaten"), 0, "", "no events")
	})

	t.Run("resend", func(t *testing.T) {
		d := d.on(t)
		d.want(d.run("outbox", "resend", bad.ID, "--dry-run"), 0, "resent     "+bad.ID+"  recipe.published  it is refused", "nothing was changed")
		if e := d.event(bad.NewEvent); e.N != 1 || e.Refused == nil {
			t.Fatalf("a dry run left %+v", e)
		}
		got := d.run("outbox", "resend", bad.ID, waits.ID, nobody, ordered.ID)
		for _, want := range []string{"resent     " + bad.ID, "resent     " + waits.ID, "refused    " + nobody + "  -  there is no such event", "refused    " + ordered.ID} {
			d.want(got, exitFailure, want, "")
		}
		d.want(d.run("outbox", "resend", ordered.ID, "--topic", "changes", "--key", "recipe/2", "--json"), 0, `{"id":"`+ordered.ID+`","status":"resent","event":"recipe.published"}`, "")
		d.want(d.run("outbox", "resend", "--refused"), 0, "resent     "+badOrdered.ID, "")
		d.want(d.run("outbox", "resend", "--refused"), 0, "", "no events")
		for _, e := range []store.Event{bad, waits, ordered, badOrdered} {
			if e := d.event(e.NewEvent); e.N != 2 || e.Refused != nil || e.Publication == nil {
				t.Errorf("resent %+v", e)
			}
		}
	})
}

// Events of one millisecond, of which a listing may find any first, are shown in one
// order always.
func TestEventsOfOneMomentAreListedByID(t *testing.T) {
	at := time.UnixMilli(1000)
	made := func(id string, at time.Time) store.Event {
		return store.Event{NewEvent: store.NewEvent{ID: id}, Created: at}
	}
	events := []store.Event{made("c", at), made("a", at.Add(time.Millisecond)), made("b", at)}
	slices.SortFunc(events, oldestEvent)
	if got := events[0].ID + events[1].ID + events[2].ID; got != "bca" {
		t.Errorf("listed as %s", got)
	}
}

func TestOutboxMisuse(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"outbox", exitMisuse, "it takes a command: list"},
		{"outbox list e1", exitMisuse, "it takes no arguments"},
		{"outbox list --rate 0", exitMisuse, "--rate is 0"},
		{"outbox resend", exitMisuse, "the ids of events, or --refused"},
		{"outbox resend e1 --refused", exitMisuse, "the ids of events, or --refused"},
		{"outbox resend e1 --topic t", exitMisuse, "belong together"},
		{"outbox resend --refused --topic t --key k", exitMisuse, "all topics and keys"},
		{"outbox list --data /nonexistent/folder", exitFailure, "no stack runs"},
	} {
		var out, errs strings.Builder
		code := run(t.Context(), streams{strings.NewReader(""), &out, &errs}, strings.Fields(c.args))
		if code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d, %s%s", c.args, code, out.String(), errs.String())
		}
	}
}
