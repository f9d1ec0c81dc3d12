package gauge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/streamimage"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// chain is the whole way from a gate to a queue: producer, table, relay. Workers finish
// what arrives at once, so that the queues always look empty.
type chain struct {
	*site
	producer *producer.Producer
	relay    *relay.Relay
	relayed  int
	// stopped tells that the relay's function does not run, broken is a queue that
	// takes nothing.
	stopped bool
	broken  string
	sent    map[string]int
}

var chainTasks = map[string]job.Task[struct{}]{"photos": chainTask("photos"), "mail": chainTask("mail")}

func chainTask(queue string) job.Task[struct{}] {
	q := job.Queue{Name: queue, PeakArrivals: 20, ServiceTime: time.Second, LongestWait: 10 * time.Minute}
	return job.Define[struct{}](queue+".do", job.Policy{Queue: q})
}

// Send takes messages.
func (c *chain) Send(_ context.Context, url string, messages []queue.Outgoing) []error {
	errs := make([]error, len(messages))
	for i := range errs {
		if url == c.broken {
			errs[i] = errors.New("no such queue")
		} else {
			c.sent[url]++
		}
	}
	return errs
}

// Depth is nothing, of each queue.
func (c *chain) Depth(context.Context, string) (queue.Depth, error) { return queue.Depth{}, nil }

func newChain(t *testing.T) *chain {
	t.Helper()
	c := &chain{site: newSite(t), sent: map[string]int{}}
	var problems [2]error
	c.producer, problems[0] = producer.New(producer.Config{Jobs: c.jobs, Now: c.clock}, chainTasks["photos"], chainTasks["mail"])
	c.relay, problems[1] = relay.New(relay.Config{Jobs: c.jobs, Queue: c, Now: c.clock, Logger: quiet, Addresses: map[string]queue.Address{
		"photos": {URL: "photos", Letters: "letters"}, "mail": {URL: "mail", Letters: "letters"},
	}})
	if err := errors.Join(problems[:]...); err != nil {
		t.Fatal(err)
	}
	return c
}

// gate is that of a process of its own.
func (c *chain) gate(queue string) *admission.Gate {
	c.t.Helper()
	source, err := gauge.NewSource(gauge.SourceConfig{Queue: queue, URL: queue, LongestWait: 10 * time.Minute, Jobs: c.jobs, Counter: c, Now: c.clock})
	if err != nil {
		c.t.Fatal(err)
	}
	gate, err := admission.New(admission.Config{
		Queue: queue, Limit: 1000, DrainRate: 10, LongestWait: 10 * time.Minute, Look: source.Look, Probe: source.Probe, Now: c.clock, Inline: true,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return gate
}

// second lets a second pass, with a request for a job at the gate, and tells what it said.
func (c *chain) second(queue string, gate *admission.Gate) admission.Decision {
	c.t.Helper()
	d := gate.Admit(c.t.Context())
	if d.Err != nil {
		c.t.Fatal(d.Err)
	}
	if d.Admitted {
		if _, err := c.producer.Enqueue(c.t.Context(), chainTasks[queue].With(struct{}{}), d.Options()...); err != nil {
			c.t.Fatal(err)
		}
	}
	c.now = c.now.Add(time.Second)
	if !c.stopped {
		c.publish()
	}
	return d
}

// publish gives the relay what the stream has.
func (c *chain) publish() {
	c.t.Helper()
	changes, _ := c.memory.Changes(c.relayed)
	event := events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{}}
	for _, change := range changes {
		c.relayed++
		if _, asks := change.New[store.Publish]; asks { // the mapping's filter
			event.Records = append(event.Records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
				SequenceNumber: fmt.Sprint(c.relayed), NewImage: streamimage.Of(change.New), OldImage: streamimage.Of(change.Old),
			}})
		}
	}
	answer, err := c.relay.Handle(c.t.Context(), event)
	if err != nil || len(answer.BatchItemFailures) != 0 {
		c.t.Fatal(answer, err)
	}
}

// With the relay stopped, its queue looks empty: the gate closes all the same, within the
// window and ten seconds, and opens by itself.
func TestNothingIsAcceptedIntoTheDark(t *testing.T) {
	c := newChain(t)
	gate := c.gate("photos")
	for range 30 {
		if d := c.second("photos", gate); !d.Admitted {
			t.Fatalf("%+v", d)
		}
	}
	c.stopped = true
	accepted := 0
	for c.second("photos", gate).Admitted && accepted < 100 {
		accepted++
	}
	if bound := int((admission.DefaultWindow + 10*time.Second).Seconds()); accepted > bound {
		t.Errorf("%d jobs, one a second, were accepted into the dark; at most %d", accepted, bound)
	}
	for range 300 {
		if d := c.second("photos", gate); d.Admitted || d.Reason != admission.Unrelayed {
			t.Fatalf("%+v", d)
		}
	}
	if d := c.second("photos", c.gate("photos")); d.Admitted {
		t.Errorf("a new process: %+v", d)
	}
	c.stopped = false
	c.second("photos", gate)
	if d := c.second("photos", gate); !d.Admitted {
		t.Errorf("the relay runs again: %+v", d)
	}
}

// One broken queue closes only itself.
func TestABrokenQueueClosesOnlyItself(t *testing.T) {
	c := newChain(t)
	photos, mail := c.gate("photos"), c.gate("mail")
	play := func(seconds int) (refused map[string]int) {
		refused = map[string]int{}
		for range seconds {
			for queue, gate := range map[string]*admission.Gate{"photos": photos, "mail": mail} {
				if d := c.second(queue, gate); !d.Admitted {
					refused[queue]++
				}
			}
		}
		return refused
	}
	play(20)
	c.broken = "photos"
	play(10)
	if refused := play(30); refused["photos"] != 30 || refused["mail"] != 0 {
		t.Errorf("refused while photos was broken: %v", refused)
	}
	c.broken = ""
	play(3)
	if refused := play(30); len(refused) != 0 {
		t.Errorf("refused when it was mended: %v", refused)
	}
}

// Many processes before one queue, all of whose jobs may be confirmed: a few are.
func TestConfirmationsAreShared(t *testing.T) {
	c := newChain(t)
	var gates []*admission.Gate
	for range 20 {
		gates = append(gates, c.gate("photos"))
	}
	for i := range 200 {
		c.second("photos", gates[i%len(gates)])
	}
	confirmed := 0
	changes, _ := c.memory.Changes(0)
	for _, change := range changes {
		if change.New["relayed_ms"] != nil {
			confirmed++
		}
	}
	if confirmed < 20 || confirmed > 70 {
		t.Errorf("%d confirmations in 200 s", confirmed)
	}
}
