package outbox_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Jobs and events of a transaction carry the context's trace on, and a trace that is none is
// no reason to refuse one.
func TestTheContextsTraceGoesAlong(t *testing.T) {
	const came = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	box, _, memory := newOutbox()
	trace, _ := telemetry.ParseTrace(came)
	err := box.Transact(telemetry.WithTrace(t.Context(), trace),
		outbox.Enqueue(Thumbnail.With(Recipe{ID: "1"})),
		outbox.Publish(Published.With("recipe/1", Recipe{ID: "1"})),
		outbox.Publish(Published.With("recipe/2", Recipe{ID: "2"}).Traced("\xff")),
	)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, row := range memory.Rows() {
		if e, err := store.DecodeEvent(row); err == nil {
			found["event "+e.Trace]++
		} else if rec, err := store.Decode(row); err == nil {
			found["job "+rec.Trace]++
		}
	}
	if len(found) != 3 || found["job "+came] != 1 || found["event "+came] != 1 || found["event "] != 1 {
		t.Errorf("carried: %v", found)
	}
}
