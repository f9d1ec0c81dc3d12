package invariants

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/internal/streamimage"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// How long functions may run, and how many workers there are.
const (
	workerTime = 30 * time.Second
	otherTime  = 40 * time.Second
	clientTime = 5 * time.Minute
	sweepEvery = 3 * time.Minute
	workers    = 2
)

// waits are short, so that a run has few sweeps.
var waits = sweep.Waits{Margin: 2 * time.Minute, Relay: 5 * time.Minute, Default: 10 * time.Minute, Overdue: 10 * time.Minute}

// dispatch starts at most one function, or one step of the scenario. What AWS's
// event sources do is subject to faults as well.
func (w *world) dispatch() bool {
	w.sources.Lock()
	defer w.sources.Unlock()
	return w.takeStep() || w.readStream() || w.receive(w.notes) || w.receive(w.feeds) || w.receive(w.ordered) || w.receive(w.narrow) || w.startPoller() ||
		w.receiveBackstop() || !time.Now().Before(w.sweepAt) && w.startSweep(1)
}

func (w *world) takeStep() bool {
	if len(w.steps) == 0 || time.Now().Before(w.start.Add(w.steps[0].at)) {
		return false
	}
	s := w.steps[0]
	w.steps = w.steps[1:]
	w.client(s)
	return true
}

// readStream hands what is new in the table to the relay.
func (w *world) readStream() bool {
	if w.busy("relay") > 0 || time.Now().Before(w.retryAt) {
		return false
	}
	changes, _ := w.table.Changes(w.relayed)
	switch {
	case len(changes) == 0:
		return false
	case w.lostLetters > 0 && w.isLetter(changes[0]):
		w.lostLetters--
		w.relayed++ // to the relay's on-failure destination
	default:
		w.relay(changes)
	}
	return true
}

// receive hands what is visible in a queue to a worker.
func (w *world) receive(q *simulatedQueue) bool {
	name := "worker of " + q.name
	if w.busy(name) >= workers || w.hideNotes && q == w.notes {
		return false
	}
	batch := w.sqs.take(q, w.batch)
	if len(batch) > 0 {
		w.deliver(name, func(counts bool) { w.work(name, q, batch, counts) }, nil)
	}
	return len(batch) > 0
}

func (w *world) startPoller() bool {
	if !w.polled || w.pollers() >= workers {
		return false
	}
	w.poll()
	return true
}

func (w *world) receiveBackstop() bool {
	if w.busy("backstop") > 0 {
		return false
	}
	batch := w.sqs.take(w.backstop, 3)
	if len(batch) > 0 {
		w.deliver("backstop", func(counts bool) { w.heal(batch, counts) }, nil)
	}
	return len(batch) > 0
}

// startSweep starts a run of the sweep, unless there are so many.
func (w *world) startSweep(most int) bool {
	if w.busy("sweep") >= most {
		return false
	}
	w.sweepAt = time.Now().Truncate(time.Minute).Add(sweepEvery)
	w.sweeps++
	w.deliver("sweep", func(bool) { w.sweep() }, nil)
	return true
}

func (w *world) busy(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running[name]
}

// deliver hands something to a function, under the fault that is chosen. Where
// last is false, the function's answer is lost.
func (w *world) deliver(what string, run func(answerCounts bool), refused func()) {
	kind := w.deliveries(what)
	if kind != fault.None {
		w.log("AWS: to the %s: FAULT %s", what, kind)
	}
	switch kind {
	case fault.Down: // throttled: nobody runs it
		if refused != nil {
			refused()
		}
	case fault.Lost:
		run(false)
	case fault.Twice:
		run(true)
		run(true)
	default:
		run(true)
	}
}

// relay hands a batch of the stream to the relay, which goes on where its answer
// says. What is not answered is tried again.
func (w *world) relay(changes []memstore.Change) {
	from := w.relayed
	event := events.DynamoDBEvent{}
	for i, change := range changes[:min(len(changes), 10)] {
		event.Records = append(event.Records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: fmt.Sprint(from + i), NewImage: streamimage.Of(change.New), OldImage: streamimage.Of(change.Old),
		}})
	}
	next := from + len(event.Records)
	again := func() { w.retryAt = time.Now().Add(time.Second) }
	w.deliver("relay", func(counts bool) {
		var answer events.DynamoDBEventResponse
		w.live("relay", otherTime, func(p *process, ctx context.Context) error {
			r, err := relay.New(relay.Config{
				Jobs: p.jobs, Queue: p.queue, Addresses: w.addresses(), Logger: silent, Random: func() float64 { return 0 },
				Topics: p.topics, TopicARNs: map[string]string{"happenings": topicARN + "happenings", "changes": topicARN + "changes.fifo"},
			})
			if err == nil {
				answer, err = r.Handle(ctx, event)
			}
			return err
		}, func(err error) {
			switch {
			case err != nil && err != errNoAnswer:
				w.failf("the relay's invocation failed: %v", err)
			case err != nil || !counts:
				again()
			default:
				to := next
				if len(answer.BatchItemFailures) > 0 {
					if _, err := fmt.Sscan(answer.BatchItemFailures[0].ItemIdentifier, &to); err != nil {
						w.failf("the relay's answer: %v", err)
					}
					again()
				}
				w.relayed = max(w.relayed, to)
			}
		})
	}, again)
}

// work hands a batch to a worker and acknowledges what its answer does not name.
func (w *world) work(name string, q *simulatedQueue, batch []message, counts bool) {
	var answer []byte
	w.live(name, workerTime, func(p *process, ctx context.Context) error {
		fn, err := worker.New(worker.Config{
			Jobs: p.jobs, Queue: p.queue, Addresses: w.addresses(), Objects: p.objects, Logger: silent,
			Random: func() float64 { return 0 }, Exit: func(int) { p.kill() },
		}, w.handlers(p, q)...)
		if err == nil {
			answer, err = fn.Invoke(ctx, eventOf(q, batch))
		}
		return err
	}, func(err error) {
		if err == nil && counts {
			w.acknowledge(q, batch, answer)
		} else if err != nil && err != errNoAnswer {
			w.failf("a worker's invocation failed: %v", err)
		}
	})
}

// acknowledge deletes what the answer does not name.
func (w *world) acknowledge(q *simulatedQueue, batch []message, answer []byte) {
	var response events.SQSEventResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		w.failf("the answer %s: %v", answer, err)
	}
	failed := map[string]bool{}
	for _, f := range response.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range batch {
		if !failed[m.id] {
			w.sqs.remove(q, m.receipt)
		}
	}
}

// heal hands a batch to the backstop.
func (w *world) heal(batch []message, counts bool) {
	var event events.SQSEvent
	if err := json.Unmarshal(eventOf(w.backstop, batch), &event); err != nil {
		panic(err)
	}
	var answer []byte
	w.live("backstop", otherTime, func(p *process, ctx context.Context) error {
		b, err := sweep.NewBackstop(sweep.BackstopConfig{
			Jobs: p.jobs, Queue: p.queue, Beside: queue.Address{URL: account + w.notes.name}, Logger: silent,
		})
		if err != nil {
			return err
		}
		response, err := b.Handle(ctx, event)
		if err == nil {
			answer, err = json.Marshal(response)
		}
		return err
	}, func(err error) {
		if err == nil && counts {
			w.acknowledge(w.backstop, batch, answer)
		} else if err != nil && err != errNoAnswer {
			w.failf("the backstop's invocation failed: %v", err)
		}
	})
}

// sweep makes one run of the sweep. A run that fails is followed by the next.
func (w *world) sweep() {
	if w.lambda != nil {
		w.live("scaling", otherTime, func(p *process, ctx context.Context) error { return scale(w, p, ctx) }, func(error) {})
	}
	w.live("sweep", otherTime, func(p *process, ctx context.Context) error {
		s, err := sweep.New(sweep.Config{
			Jobs: p.jobs, Depths: p.queue, Objects: p.objects, Addresses: w.addresses(), Logger: silent, Waits: waits,
			Plans: plans(),
		})
		if err == nil {
			err = s.Handle(ctx)
		}
		return err
	}, func(error) {})
}

// isLetter tells whether a change asks for a letter.
func (w *world) isLetter(c memstore.Change) bool {
	rec, err := store.Decode(c.New)
	return err == nil && rec.State == lifecycle.Dead && rec.Publication != nil
}
