package nightshifttest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// deliver hands what is visible to workers, from each queue in turn, and what came to
// the backstops to the backstop.
func (k *Kit) deliver(ctx context.Context) (worked bool) {
	k.t.Helper()
	for _, q := range k.order() {
		if q.worker == nil {
			continue
		}
		n := 1
		if k.config.Batches && !k.config.Duplicates {
			n = q.BatchSize()
		}
		if batch := k.sqs.Take(q.at, n); len(batch) > 0 {
			k.spend(len(batch))
			k.work(ctx, q, batch)
			worked = true
		}
	}
	for _, name := range []string{backstopName, backstopNameFIFO} {
		if batch := k.sqs.Take(name, queue.MaxEntries); len(batch) > 0 {
			k.spend(len(batch))
			k.heal(ctx, name, batch)
			worked = true
		}
	}
	return worked
}

// order is that in which queues are asked.
func (k *Kit) order() []*simQueue {
	order := append([]*simQueue(nil), k.queues...)
	if k.config.Shuffle {
		for i := range order {
			other := i + k.random.pick(len(order)-i)
			order[i], order[other] = order[other], order[i]
		}
	}
	return order
}

// work has a batch worked through, and deletes what was acknowledged.
func (k *Kit) work(ctx context.Context, q *simQueue, batch []sqssim.Message) {
	k.t.Helper()
	event := sqssim.Event(q.at, batch)
	if k.config.Duplicates && k.diesFirst(ctx, q, batch[0]) {
		q.dying.invoke(ctx, event)
		k.note()
		k.sqs.Show(q.at, batch[0].ID)
		return
	}
	response, err := q.worker.Invoke(ctx, event)
	k.note()
	if errors.Is(err, worker.ErrStuck) {
		k.t.Fatalf("nightshifttest: a handler of queue %q ignored the end of its context for %v; in earnest its process would be ended\n%s", q.Name, worker.Grace, k.histories(batch))
	}
	if err != nil {
		k.t.Fatalf("nightshifttest: the worker of queue %q: %v", q.Name, err)
	}
	var answer events.SQSEventResponse
	if err := json.Unmarshal(response, &answer); err != nil {
		k.t.Fatalf("nightshifttest: the worker of queue %q answered %q: %v", q.Name, response, err)
	}
	k.acknowledge(q.at, batch, answer)
}

// heal hands a batch of a backstop's queue to the backstop.
func (k *Kit) heal(ctx context.Context, name string, batch []sqssim.Message) {
	k.t.Helper()
	var event events.SQSEvent
	if err := json.Unmarshal(sqssim.Event(name, batch), &event); err != nil {
		k.t.Fatalf("nightshifttest: the backstop's event: %v", err)
	}
	answer, err := k.backstop.Handle(ctx, event)
	k.note()
	if err != nil {
		k.t.Fatalf("nightshifttest: the backstop: %v", err)
	}
	k.acknowledge(name, batch, answer)
}

// acknowledge deletes the messages of a batch that are not to come again.
func (k *Kit) acknowledge(name string, batch []sqssim.Message, answer events.SQSEventResponse) {
	failed := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range batch {
		if !failed[m.ID] {
			k.sqs.Delete(name, m.Receipt)
		}
	}
}

// diesFirst tells whether a message is that of a job whose first process is to die: it
// is ready to run, for the first time, and has an attempt to lose. The job of an event
// has no row until then.
func (k *Kit) diesFirst(ctx context.Context, q *simQueue, m sqssim.Message) bool {
	k.t.Helper()
	message, err := queue.DecodeMessage(m.Body)
	if err != nil {
		return false
	}
	id, attempts := k.topics.jobOf(q, message, m.Group)
	if id == "" || k.died[id] {
		return false
	}
	rec, err := k.Jobs.Get(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		k.died[id] = attempts > 1
		return k.died[id]
	}
	if err != nil {
		k.t.Fatalf("nightshifttest: reading job %s: %v", id, err)
	}
	if rec.State != lifecycle.Queued || rec.NotBefore.After(k.Now()) || rec.Attempt+1 >= rec.MaxAttempts {
		return false
	}
	k.died[id] = true
	return true
}
