package relay_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
)

// toldTracer notes what it is told.
type toldTracer struct {
	spans  []telemetry.Span
	errors []error
}

func (t *toldTracer) Start(ctx context.Context, s telemetry.Span) (context.Context, func(string, error)) {
	t.spans = append(t.spans, s)
	return ctx, func(_ string, err error) { t.errors = append(t.errors, err) }
}

func observed(t *testing.T, config relay.Config) *world {
	t.Helper()
	w := newWorld(t)
	config.Jobs, config.Queue, config.Logger = w.jobs, w.sqs, slog.New(slog.DiscardHandler)
	config.Addresses = map[string]queue.Address{
		"notes": {URL: "notes", Letters: "notes letters"}, "photos": {URL: "photos", Letters: "photos letters"},
		"ledger": {URL: "ledger.fifo", Letters: "ledger letters.fifo"},
	}
	var err error
	if w.relay, err = relay.New(config); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPublicationsAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m telemetrytest.Recorder
		w := observed(t, relay.Config{Metrics: &m})
		w.sqs.refuse = func(url string, _ queue.Outgoing) error {
			switch url {
			case "photos", "ledger.fifo":
				return errors.New("SQS does not answer")
			}
			return nil
		}
		w.die(w.enqueue("notes", "", nil))
		w.enqueue("notes", "", nil)
		w.enqueue("notes", "", func(n *store.NewJob) { n.NotBefore = time.Now().Add(time.Minute) }) // it is not late
		w.enqueue("photos", "", nil)
		w.enqueue("ledger", "a", nil) // its group waits: nothing is set aside
		time.Sleep(1500 * time.Millisecond)
		w.handle(w.batch())
		if sent := m.Sum(telemetry.Published, telemetry.Relay); sent != 4 { // the dead job's first message too
			t.Errorf("published %v", sent)
		}
		if lag := m.Values(telemetry.RelayLag, telemetry.Relay); !slices.Equal(lag, []float64{1500, 1500, 1500}) {
			t.Errorf("lag %v", lag)
		}
		if aside := m.Sum(telemetry.SetAside, telemetry.Relay); aside != 1 {
			t.Errorf("set aside %v", aside)
		}
		if m.Unflushed() != 0 || m.Problems() != nil {
			t.Errorf("%d measurements were not flushed; %v", m.Unflushed(), m.Problems())
		}
	})
}

// A message carries its job's trace in its body, and X-Ray's form of it beside that.
func TestTracesGoAlong(t *testing.T) {
	const w3c, root = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Root=1-5759e988-bd862e3fe1be46a994272793"
	for trace, beside := range map[string]string{
		w3c:                "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=00f067aa0ba902b7;Sampled=1",
		w3c + " " + root:   root,
		root:               root,
		"nobody's":         "",
		"Root=1\x00\uffff": "",
	} {
		w := observed(t, relay.Config{})
		w.enqueue("notes", "", func(n *store.NewJob) { n.Trace = trace })
		w.enqueue("ledger", "a", func(n *store.NewJob) { n.Trace = trace })
		w.handle(w.batch())
		for _, sent := range []queue.Outgoing{w.sqs.sent["notes"][0], w.sqs.sent["ledger.fifo"][0]} {
			if got := decode(t, sent).Trace; got != trace || sent.Trace != beside {
				t.Errorf("%q: %q and %q, want %q", trace, got, sent.Trace, beside)
			}
		}
	}
}

// The span of one message is part of its job's trace, that of several is linked to all.
func TestSendsAreSpans(t *testing.T) {
	const a, b = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01", "00-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-00f067aa0ba902b7-01"
	traced := func(trace string) func(*store.NewJob) { return func(n *store.NewJob) { n.Trace = trace } }
	var tracer toldTracer
	w := observed(t, relay.Config{Tracer: &tracer})
	id := w.enqueue("notes", "", traced(a))
	w.handle(w.batch())
	w.enqueue("notes", "", traced(a))
	w.enqueue("notes", "", traced(b))
	w.enqueue("notes", "", traced(""))
	w.handle(w.batch())
	broken := errors.New("broken")
	w.sqs.refuse = func(string, queue.Outgoing) error { return broken }
	w.enqueue("notes", "", traced(""))
	w.handle(w.batch())
	if len(tracer.spans) != 3 || tracer.errors[0] != nil || tracer.errors[1] != nil || !errors.Is(tracer.errors[2], broken) {
		t.Fatalf("%+v, %v", tracer.spans, tracer.errors)
	}
	one, three := tracer.spans[0], tracer.spans[1]
	if one.Parent.String() != a || len(one.Links) != 1 || one.Queue != "notes" || one.Operation != telemetry.Send || one.Job != string(id) || one.Messages != 1 {
		t.Errorf("one: %+v", one)
	}
	if !three.Parent.IsZero() || len(three.Links) != 2 || three.Links[0].String() != a || three.Links[1].String() != b || three.Job != "" || three.Messages != 3 {
		t.Errorf("three: %+v", three)
	}
}
