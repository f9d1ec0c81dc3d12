package relay_test

import (
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func (w *world) gauge(queue string) store.Gauge {
	w.t.Helper()
	g, err := w.jobs.Gauge(w.t.Context(), queue)
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

func (w *world) probe(queue string) {
	w.t.Helper()
	if sent, err := w.jobs.Probe(w.t.Context(), queue, w.gauge(queue)); !sent || err != nil {
		w.t.Fatalf("%v, %v", sent, err)
	}
}

// The relay confirms after SQS has taken the messages, in one write for a queue.
func TestJobsAreConfirmed(t *testing.T) {
	w := newWorld(t)
	asks := func(n *store.NewJob) { n.Probe = "me" }
	w.enqueue("notes", "", asks)
	last := w.enqueue("notes", "", asks)
	w.enqueue("notes", "", nil)
	w.enqueue("photos", "", nil)
	before := len(w.memory.Rows())
	if failed := w.handle(w.batch()); len(failed) != 0 {
		t.Fatal(failed)
	}
	if g, written := w.gauge("notes"), w.get(last).Created; !g.Relayed.Equal(written) {
		t.Errorf("confirmed until %v, not %v", g.Relayed, written)
	}
	if g := w.gauge("photos"); !g.Relayed.IsZero() || len(w.memory.Rows()) != before+1 {
		t.Errorf("nobody asked: %+v", g)
	}
	if changes, _ := w.memory.Changes(w.seen); len(changes) != 1 {
		t.Errorf("%d writes for two jobs of a queue", len(changes))
	}
}

func TestWhatIsNotSentIsNotConfirmed(t *testing.T) {
	w := newWorld(t)
	w.sqs.refuse = func(url string, _ queue.Outgoing) error {
		if url == "notes" {
			return errors.New("throttled")
		}
		return nil
	}
	for _, queue := range []string{"notes", "photos"} {
		w.enqueue(queue, "", func(n *store.NewJob) { n.Probe = "me" })
		w.probe(queue)
	}
	if failed := w.handle(w.batch()); len(failed) != 0 {
		t.Fatal(failed)
	}
	if g := w.gauge("notes"); !g.Relayed.IsZero() || !g.Asked.After(g.Relayed) {
		t.Errorf("a broken queue was confirmed: %+v", g)
	}
	if g := w.gauge("photos"); g.Relayed.IsZero() || g.Asked.After(g.Relayed) {
		t.Errorf("its neighbour was not: %+v", g)
	}
}

// A probe goes the whole way: as a message of its queue, for a job that is not there.
func TestAProbeIsPublished(t *testing.T) {
	for _, to := range []struct{ queue, url string }{{"notes", "notes"}, {"ledger", "ledger.fifo"}} {
		w := newWorld(t)
		w.probe(to.queue)
		asked := w.gauge(to.queue).Asked
		if failed := w.handle(w.batch()); len(failed) != 0 || w.sqs.count(to.url) != 1 {
			t.Fatalf("%v, %d messages", failed, w.sqs.count(to.url))
		}
		sent := w.sqs.sent[to.url][0]
		m, err := queue.DecodeMessage(sent.Body)
		if err != nil || (sent.Group != "") != (to.queue == "ledger") || (sent.Dedup != "") != (to.queue == "ledger") {
			t.Errorf("%+v, %v", sent, err)
		}
		if _, err := w.jobs.Get(t.Context(), m.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it names a job: %v", err)
		}
		if g := w.gauge(to.queue); !g.Relayed.Equal(asked) {
			t.Errorf("%+v", g)
		}
		// What confirming wrote is no probe.
		if w.handle(w.batch()); w.sqs.count(to.url) != 1 {
			t.Errorf("it was sent %d times", w.sqs.count(to.url))
		}
	}
}

// While nothing is confirmed a gate sends probe after probe: all of them arrive.
func TestProbesThatHadToWait(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.probe("notes")
	}
	if failed := w.handle(w.batch()); len(failed) != 0 || w.sqs.count("notes") != 3 {
		t.Fatalf("%v, %d messages", failed, w.sqs.count("notes"))
	}
	if g := w.gauge("notes"); g.Asked.After(g.Relayed) {
		t.Errorf("%+v", g)
	}
}

// Workers tell by it how long a job waited: of what is published at once they know.
func TestMessagesSayWhenTheyAreReady(t *testing.T) {
	w := newWorld(t)
	now := w.enqueue("notes", "", nil)
	later := w.enqueue("photos", "", func(n *store.NewJob) { n.NotBefore = w.get(now).Created.Add(300e9) })
	w.handle(w.batch())
	if a := w.sqs.sent["notes"][0].Attributes; a != nil {
		t.Errorf("at once: %v", a)
	}
	at, ok := queue.ReadyAt(w.sqs.sent["photos"][0].Attributes[queue.ReadyAttribute].Text)
	if !ok || !at.Equal(w.get(later).NotBefore) {
		t.Errorf("later: %v, %v", at, ok)
	}
}
