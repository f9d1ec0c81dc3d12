package sqssim_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A bench is a simulation under a clock that the test moves, and package queue's client
// for it.
type bench struct {
	t       *testing.T
	sim     *sqssim.SQS
	client  *queue.SQS
	now     time.Time
	deleted []string
}

func newBench(t *testing.T, config sqssim.Config) *bench {
	b := &bench{t: t, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	config.Now = func() time.Time { return b.now }
	config.Deleted = func(_ string, m sqssim.Message) { b.deleted = append(b.deleted, m.ID) }
	b.sim = sqssim.New(config)
	b.client = queue.New(b.sim)
	b.sim.Add("backstop", sqssim.Queue{})
	b.sim.Add("mails", sqssim.Queue{Visibility: time.Minute, Redrive: "backstop", MaxReceives: 3})
	b.sim.Add("shelves.fifo", sqssim.Queue{})
	return b
}

// send sends messages with these bodies; in the FIFO queue a body is group/dedup.
func (b *bench) send(name string, bodies ...string) {
	b.t.Helper()
	for _, body := range bodies {
		out := queue.Outgoing{Body: body, Trace: "Root=1"}
		if group, dedup, grouped := strings.Cut(body, "/"); grouped {
			out.Group, out.Dedup = group, dedup
		}
		if err := b.client.Send(b.t.Context(), sqssim.URL(name), []queue.Outgoing{out})[0]; err != nil {
			b.t.Fatal(err)
		}
	}
}

// want takes up to n messages and compares their bodies.
func (b *bench) want(name string, n int, bodies ...string) []sqssim.Message {
	b.t.Helper()
	got := b.sim.Take(name, n)
	var texts []string
	for _, m := range got {
		texts = append(texts, m.Body)
	}
	if fmt.Sprint(texts) != fmt.Sprint(bodies) {
		b.t.Errorf("%s gave %v, want %v", name, texts, bodies)
	}
	return got
}

func TestVisibilityAndReceipts(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("mails", "one", "two")
	first := b.want("mails", 1, "one")[0]
	b.want("mails", 10, "two")
	b.want("mails", 10)
	if next := b.sim.Next("mails", "backstop"); !next.Equal(b.now.Add(time.Minute)) {
		t.Errorf("the next is visible at %v", next)
	}
	b.now = b.now.Add(time.Minute)
	again := b.want("mails", 1, "one")[0]
	if again.Receives != 2 || again.Receipt == first.Receipt || !again.Received.Equal(b.now.Add(-time.Minute)) {
		t.Errorf("the second receive is %+v", again)
	}
	b.sim.Delete("mails", first.Receipt) // that of an earlier receive does as well
	if fmt.Sprint(b.deleted) != "[mails-1]" {
		t.Errorf("deleted were %v", b.deleted)
	}
	b.want("mails", 10, "two")
}

func TestHidingNeedsFlight(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("mails", "one")
	m := b.want("mails", 1, "one")[0]
	hide := func(d time.Duration) error {
		return b.client.Hide(t.Context(), sqssim.URL("mails"), []queue.Hidden{{Receipt: m.Receipt, For: d}})[0]
	}
	if err := hide(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(10 * time.Second)
	if err := hide(time.Second); err == nil {
		t.Error("a message that was visible was hidden")
	}
	b.want("mails", 1, "one")
	b.sim.Show("mails", m.ID)
	b.want("mails", 1, "one")
}

func TestDelaysAndCounts(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("mails", "one", "two")
	if err := b.client.Send(t.Context(), sqssim.URL("mails"), []queue.Outgoing{{Body: "late", Delay: time.Minute}})[0]; err != nil {
		t.Fatal(err)
	}
	b.want("mails", 1, "one")
	depth, err := b.client.Depth(t.Context(), sqssim.URL("mails"))
	if want := (queue.Depth{Visible: 1, Delayed: 1, InFlight: 1}); err != nil || depth != want {
		t.Errorf("the depth is %+v %v, want %+v", depth, err, want)
	}
	b.now = b.now.Add(time.Minute)
	b.want("mails", 10, "one", "two", "late")
}

func TestTooManyReceives(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("mails", "one")
	for range 3 {
		b.want("mails", 1, "one")
		b.now = b.now.Add(time.Minute)
	}
	b.want("mails", 1)
	m := b.want("backstop", 1, "one")[0]
	if m.Receives != 1 || m.Source != sqssim.ARN("mails") {
		t.Errorf("in the backstop it is %+v", m)
	}
}

func TestGroups(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("shelves.fifo", "a/1", "b/2", "a/3", "a/1") // the last is known already
	first := b.want("shelves.fifo", 1, "a/1")[0]
	b.want("shelves.fifo", 10, "b/2") // a waits
	b.sim.Delete("shelves.fifo", first.Receipt)
	b.want("shelves.fifo", 10, "a/3")
	b.now = b.now.Add(5 * time.Minute)
	b.send("shelves.fifo", "a/1") // forgotten by now
	b.want("shelves.fifo", 10, "b/2", "a/3", "a/1")
	b.sim.Delete("shelves.fifo", first.Receipt) // of no use
	if len(b.sim.Peek("shelves.fifo")) != 3 {
		t.Errorf("there are %v", b.sim.Peek("shelves.fifo"))
	}
}

func TestOrderIsChosen(t *testing.T) {
	b := newBench(t, sqssim.Config{Pick: func(n int) int { return n - 1 }})
	b.send("mails", "one", "two", "three")
	b.want("mails", 2, "three", "two")
	b.send("shelves.fifo", "a/1", "b/2", "a/3", "b/4")
	b.want("shelves.fifo", 10, "b/2", "b/4", "a/1", "a/3")
}

func TestRefusals(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.sim.Refuse("mails", "InvalidMessageContents")
	for name, c := range map[string]struct {
		queue string
		out   queue.Outgoing
		code  string
	}{
		"told to":  {"mails", queue.Outgoing{Body: "one"}, "InvalidMessageContents"},
		"no group": {"shelves.fifo", queue.Outgoing{Body: "one", Dedup: "1"}, "MissingParameter"},
		"a delay":  {"shelves.fifo", queue.Outgoing{Body: "one", Group: "a", Dedup: "1", Delay: time.Second}, "InvalidParameterValue"},
		"a dedup":  {"backstop", queue.Outgoing{Body: "one", Dedup: "1"}, "InvalidParameterValue"},
	} {
		var refused *queue.SendError
		err := b.client.Send(t.Context(), sqssim.URL(c.queue), []queue.Outgoing{c.out})[0]
		if !errors.As(err, &refused) || refused.Code != c.code || !refused.Fault {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if err := b.client.Send(t.Context(), sqssim.URL("nowhere"), []queue.Outgoing{{Body: "one"}})[0]; err == nil {
		t.Error("a queue that is not there took a message")
	}
}

// A receive waits as the configuration says, and not at all without.
func TestReceives(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	ask := queue.Ask{Most: 10, Wait: 20 * time.Second, Hide: 5 * time.Second}
	if got, err := b.client.Receive(t.Context(), sqssim.URL("mails"), ask); err != nil || len(got) != 0 {
		t.Errorf("received %v %v", got, err)
	}
	var waited time.Duration
	b = newBench(t, sqssim.Config{Wait: func(_ context.Context, d time.Duration) error {
		waited = d
		b.now = b.now.Add(time.Second)
		b.send("mails", "one")
		return nil
	}})
	got, err := b.client.Receive(t.Context(), sqssim.URL("mails"), ask)
	if err != nil || len(got) != 1 || got[0].Body != "one" || got[0].Trace != "Root=1" || waited != 20*time.Second {
		t.Errorf("received %v %v after a wait of %v", got, err, waited)
	}
	b.now = b.now.Add(5 * time.Second)
	if err := errors.Join(b.client.Delete(t.Context(), sqssim.URL("mails"), []string{b.want("mails", 1, "one")[0].Receipt})...); err != nil {
		t.Error(err)
	}
	b.want("mails", 1)
}

func TestMove(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	b.send("backstop", "one")
	if !b.sim.Move("backstop", "mails", "backstop-1") || b.sim.Move("backstop", "mails", "backstop-1") {
		t.Error("a message was not moved just once")
	}
	b.want("mails", 1, "one")
}

// The event is what Lambda's own types read.
func TestEvent(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	out := queue.Outgoing{Body: "one", Group: "a", Dedup: "1", Trace: "Root=1", Attributes: map[string]queue.Attribute{"kind": queue.String("x"), "raw": {Type: "Binary", Binary: []byte{1}}}}
	if err := b.client.Send(t.Context(), sqssim.URL("shelves.fifo"), []queue.Outgoing{out})[0]; err != nil {
		t.Fatal(err)
	}
	var event events.SQSEvent
	if err := json.Unmarshal(sqssim.Event("shelves.fifo", b.want("shelves.fifo", 1, "one")), &event); err != nil {
		t.Fatal(err)
	}
	r := event.Records[0]
	if r.MessageId != "shelves-1" || r.Body != "one" || r.EventSourceARN != sqssim.ARN("shelves.fifo") || r.EventSource != "aws:sqs" ||
		r.Attributes["MessageGroupId"] != "a" || r.Attributes["AWSTraceHeader"] != "Root=1" || r.Attributes["ApproximateReceiveCount"] != "1" ||
		*r.MessageAttributes["kind"].StringValue != "x" || r.MessageAttributes["raw"].BinaryValue[0] != 1 {
		t.Errorf("the record is %+v", r)
	}
}
