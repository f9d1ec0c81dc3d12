package invariants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

var (
	ctx    = context.Background()
	silent = slog.New(slog.DiscardHandler)
)

// scripts are what handlers do, run by run.
var scripts = [][]string{
	{"ok"}, {"ok"}, {"fail"}, {"fail", "ok"}, {"permanent"}, {"discard"}, {"panic", "ok"}, {"snooze", "ok"}, {"later", "ok"},
	{"fail later", "ok"}, {"continue", "continue", "ok"}, {"slow"}, {"slow fail", "ok"}, {"die", "ok"}, {"die"}, {"unencodable"},
}

// produce enqueues a job.
func (w *world) produce() {
	id, err := w.exact.NewID()
	if err != nil {
		w.t.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: "notes", Args: []byte(`{}`), MaxAttempts: 1 + w.random.IntN(3)}
	switch {
	case w.queue().FIFO:
		n.ID, n.FIFO = id.InGroup("notes", fmt.Sprint("g", w.random.IntN(2))), true
	case w.random.IntN(4) == 0:
		n.NotBefore = w.now.Add(time.Duration(w.random.IntN(20*60)) * time.Second)
	}
	if _, _, err := w.exact.Create(ctx, n); err != nil {
		w.t.Fatal(err)
	}
	w.jobs[n.ID] = &tracked{script: scripts[w.random.IntN(len(scripts))]}
	w.order = append(w.order, n.ID)
	w.log("%s enqueued: %v, %d attempts", short(n.ID), w.jobs[n.ID].script, n.MaxAttempts)
}

// handler does what a job's script says. d is the table of its process.
func (w *world) handler(d *driver) func(context.Context, *job.Job[note]) error {
	return func(_ context.Context, j *job.Job[note]) error {
		row, err := w.exact.Get(ctx, j.ID)
		if err != nil || row.State != lifecycle.Running || row.Token != job.Token(j) {
			w.failf("%s runs without a lease: %s, %v", j.ID, row.State, err)
		}
		w.checkOrder(j.ID)
		known := w.jobs[j.ID]
		does := known.script[min(known.runs, len(known.script)-1)]
		known.runs++
		w.log("%s runs: %s", short(j.ID), does)
		switch does {
		case "slow", "slow fail": // longer than its lease, as if the process had been frozen
			w.now = w.now.Add(time.Minute)
			for range 4 {
				w.interleave()
			}
		case "die":
			d.dying = w.storm
		}
		switch does {
		case "fail", "slow fail":
			known.failures++
			return errors.New("boom")
		case "fail later":
			known.failures++
			return job.RetryAfter(16*time.Minute, errors.New("boom"))
		case "panic":
			known.failures++
			panic("boom")
		case "permanent":
			known.refused = true
			return job.Fail(errors.New("boom"))
		case "unencodable":
			known.refused = true
			return job.Continue(func() {})
		case "discard":
			return job.Discard("unwanted")
		case "snooze":
			return job.Snooze(30 * time.Second)
		case "later":
			return job.Snooze(20 * time.Minute)
		case "continue":
			return job.Continue(known.runs)
		}
		known.successes++
		return nil
	}
}

// checkOrder: in a group a job runs only after all before it have ended.
func (w *world) checkOrder(id job.ID) {
	_, group, ordered := id.Group()
	for _, before := range w.order {
		if before == id {
			return
		}
		if _, g, _ := before.Group(); !ordered || g != group {
			continue
		}
		if rec, err := w.exact.Get(ctx, before); err != nil || !rec.State.Final() {
			w.failf("%s overtook %s of its group, which is %s; %v", short(id), short(before), rec.State, err)
		}
	}
}

// work makes one invocation of the worker. Answers may be lost.
func (w *world) work() {
	batch := w.sqs.receive(w.source(), 3)
	if len(batch) == 0 {
		return
	}
	var answer []byte
	lived := w.mayBeKilled(func() {
		d := w.troubled()
		fn, err := worker.New(worker.Config{
			Jobs: w.jobsOn(d), Queue: w.sqs, Addresses: w.addresses(), Logger: silent, Now: w.clock,
			Random: func() float64 { return 0 },
		}, worker.Handle(w.task, w.handler(d)))
		if err != nil {
			w.t.Fatal(err)
		}
		if answer, err = fn.Invoke(ctx, eventOf(w.source(), batch)); err != nil {
			w.failf("a worker's invocation failed: %v", err)
		}
	})
	if lived {
		w.acknowledge(w.source(), batch, answer)
	}
}

// acknowledge deletes what the answer does not name.
func (w *world) acknowledge(url string, batch []message, answer []byte) {
	var response events.SQSEventResponse
	if err := json.Unmarshal(answer, &response); err != nil {
		w.failf("the answer %s: %v", answer, err)
	}
	failed := map[string]bool{}
	for _, f := range response.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range batch {
		if held := w.sqs.held(url, m.receipt); held != nil && !failed[m.id] && !w.chance(10) {
			w.sqs.drop(url, held)
		}
	}
}

func eventOf(url string, batch []message) []byte {
	address := queue.Address{URL: url}
	records := []map[string]any{}
	for _, m := range batch {
		attributes := map[string]string{"ApproximateReceiveCount": fmt.Sprint(m.receives)}
		if m.group != "" {
			attributes["MessageGroupId"] = m.group
		}
		records = append(records, map[string]any{
			"messageId": m.id, "receiptHandle": m.receipt, "body": m.body, "attributes": attributes,
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:" + address.Name(),
		})
	}
	encoded, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err)
	}
	return encoded
}

// heal makes one invocation of the backstop.
func (w *world) heal() {
	batch := w.sqs.receive(backstop, 3)
	if len(batch) == 0 {
		return
	}
	var event events.SQSEvent
	if err := json.Unmarshal(eventOf(backstop, batch), &event); err != nil {
		w.t.Fatal(err)
	}
	w.mayBeKilled(func() {
		b, err := sweep.NewBackstop(sweep.BackstopConfig{
			Jobs: w.jobsOn(w.troubled()), Queue: w.sqs, Beside: queue.Address{URL: source}, Logger: silent, Now: w.clock,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		response, err := b.Handle(ctx, event)
		if err != nil {
			w.failf("the backstop's invocation failed: %v", err)
		}
		answer, err := json.Marshal(response)
		if err != nil {
			w.t.Fatal(err)
		}
		w.acknowledge(backstop, batch, answer)
	})
}

// relay makes one invocation of the relay. It goes on where the answer says, or
// where it was, should the process have died at the end.
func (w *world) relay() {
	from := w.relayed
	changes, _ := w.memory.Changes(from)
	if len(changes) == 0 {
		return
	}
	event := events.DynamoDBEvent{}
	target := ""
	for i, change := range changes {
		if to := publishedTo(change.New); target != "" && to != "" && to != target {
			break // targets are dealt with side by side, which no seed repeats
		} else if to != "" {
			target = to
		}
		event.Records = append(event.Records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: fmt.Sprint(from + i), NewImage: image(change.New), OldImage: image(change.Old),
		}})
	}
	d := w.troubled()
	r, err := relay.New(relay.Config{
		Jobs: w.jobsOn(immortal{d}), Queue: w.sqs, Addresses: w.addresses(), Logger: silent, Now: w.clock, Random: w.random.Float64,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	answer, err := r.Handle(ctx, event)
	next := from + len(event.Records)
	switch {
	case err != nil:
		w.failf("the relay's invocation failed: %v", err)
	case w.chance(10): // killed before it answered
	case len(answer.BatchItemFailures) > 0:
		_, err = fmt.Sscan(answer.BatchItemFailures[0].ItemIdentifier, &next)
		fallthrough
	default:
		w.relayed = max(next, w.relayed)
	}
	if err != nil {
		w.failf("the relay's answer: %v", err)
	}
}

// immortal is a driver whose process is not killed: the relay calls from
// goroutines of its own.
type immortal struct{ *driver }

// Write makes one conditional write.
func (d immortal) Write(c context.Context, write store.Write) (store.Item, error) {
	d.w.interleave()
	defer d.w.check()
	return d.Driver.Write(c, write)
}

func publishedTo(item store.Item) string {
	if p, ok := item[store.Publish].(*types.AttributeValueMemberM); ok {
		return p.Value["to"].(*types.AttributeValueMemberS).Value
	}
	return ""
}

func image(item store.Item) map[string]events.DynamoDBAttributeValue {
	if item == nil {
		return nil
	}
	converted := map[string]events.DynamoDBAttributeValue{}
	for name, av := range item {
		switch v := av.(type) {
		case *types.AttributeValueMemberS:
			converted[name] = events.NewStringAttribute(v.Value)
		case *types.AttributeValueMemberN:
			converted[name] = events.NewNumberAttribute(v.Value)
		case *types.AttributeValueMemberBOOL:
			converted[name] = events.NewBooleanAttribute(v.Value)
		case *types.AttributeValueMemberM:
			converted[name] = events.NewMapAttribute(image(v.Value))
		}
	}
	return converted
}

// sweep makes one run of the sweep.
func (w *world) sweep() {
	s, err := sweep.New(sweep.Config{
		Jobs: w.exact, Depths: w.sqs, Addresses: w.addresses(), Logger: silent, Now: w.clock,
		Plans: map[string]sizing.Plan{"notes": {Queue: w.queue(), Visibility: visibility}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Handle(ctx); err != nil {
		w.failf("a run of the sweep: %v", err)
	}
	w.check()
}
