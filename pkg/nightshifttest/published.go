package nightshifttest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// An Event is one that was published (outbox.Publish), as it is in the outbox.
type Event[E any] struct {
	// ID is the event's own, by which subscribers know it again.
	ID string
	// Key names what it happened to; empty where its publisher named nothing.
	Key  string
	Data E
	// At is when, by the clock under test.
	At time.Time
	// Trace is the header of the request that it happened in (job.Occurrence.Traced).
	Trace string
}

// Published gives the data of the events of a kind that were published since New, in
// order, whoever is subscribed to them. They are there as soon as their transaction is;
// Drain, Advance and RunAll bring them to their subscribers.
func Published[E any](k *Kit, event job.Event[E]) []E {
	k.t.Helper()
	var all []E
	for _, e := range happened(k, event) {
		all = append(all, e.Data)
	}
	return all
}

func happened[E any](k *Kit, event job.Event[E]) []Event[E] {
	k.t.Helper()
	k.note()
	var found []Event[E]
	for _, e := range k.journal.events {
		if e.Name != event.Definition().Name {
			continue
		}
		data, err := payload.Decode[E](e.Data)
		if err != nil {
			k.t.Fatalf("nightshifttest: the data of event %s, %s: %v", e.ID, e.Name, err)
		}
		found = append(found, Event[E]{ID: e.ID, Key: e.Key, Data: data, At: e.Created, Trace: e.Trace})
	}
	return found
}

// WantPublished fails the test unless the events of a kind that were published have just
// these data, in this order; none means that none was to be published. Data are
// compared as their JSON. It gives the events, to look at their keys.
func WantPublished[E any](k *Kit, event job.Event[E], want ...E) []Event[E] {
	k.t.Helper()
	found := happened(k, event)
	name := event.Definition().Name
	if len(found) != len(want) {
		k.t.Errorf("nightshifttest: %s %s, want %d%s", name, published(len(found)), len(want), listEvents(found))
		return found
	}
	for i, e := range found {
		if got, wanted := encoded(e.Data), encoded(want[i]); got != wanted {
			k.t.Errorf("nightshifttest: event %d of %d of %s was published with other data\n    got  %s\n    want %s", i+1, len(found), name, got, wanted)
		}
	}
	return found
}

func published(n int) string {
	switch n {
	case 0:
		return "was not published"
	case 1:
		return "was published once"
	}
	return fmt.Sprintf("was published %d times", n)
}

// listEvents writes events out, a line each.
func listEvents[E any](events []Event[E]) string {
	var b strings.Builder
	for i, e := range events {
		if i == 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "\n    %s %s", e.ID, encoded(e.Data))
		if e.Key != "" {
			fmt.Fprintf(&b, " key %q", e.Key)
		}
	}
	return b.String()
}
