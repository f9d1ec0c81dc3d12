package nightshifttest

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/topic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// topics are Config.Topics, in place of SNS: what is published goes to the queue of
// each subscriber, that is of each handler that worker.On made (Serve).
type topics struct {
	kit         *Kit
	subscribers []subscriber
	published   []topic.Outgoing
}

// A subscriber is a task that is done for an event, and the queue of its messages.
type subscriber struct {
	event job.EventDefinition
	task  job.Definition
	queue *simQueue
}

// arns says where the topics are, by their names.
func (c Config) arns() map[string]string {
	arns := map[string]string{}
	for _, t := range c.Topics {
		arns[t.Name] = t.Name
	}
	return arns
}

// subscribe notes which event a handler is for.
func (t *topics) subscribe(h worker.Handler, q *simQueue) {
	if s := h.Subscriber(); s != nil {
		event, task := s.Subscribed()
		t.subscribers = append(t.subscribers, subscriber{event, task, q})
	}
}

// Publish brings messages to the queues of those who are subscribed to them.
func (t *topics) Publish(ctx context.Context, arn string, messages []topic.Outgoing) []error {
	t.published = append(t.published, messages...)
	errs := make([]error, len(messages))
	for i, m := range messages {
		for _, s := range t.subscribers {
			if s.event.Topic.Name != arn || s.event.Name != m.Name {
				continue
			}
			out := queue.Outgoing{Body: m.Body}
			if s.queue.FIFO {
				out.Group, out.Dedup = m.Group, m.Dedup
			}
			if err := queue.New(t.kit.sqs).Send(ctx, s.queue.address.URL, []queue.Outgoing{out})[0]; err != nil {
				errs[i] = err
			}
		}
	}
	return errs
}

// jobOf is the job that a message of a queue stands for: an event's is known to
// the subscriber alone.
func (t *topics) jobOf(q *simQueue, m queue.Message, group string) job.ID {
	if m.Event == nil {
		return m.ID
	}
	for _, s := range t.subscribers {
		if s.queue != q || s.event.Name != m.Event.Name {
			continue
		}
		id := m.Event.Job(s.task.Name)
		if q.FIFO {
			id = id.InGroup(q.Name, group)
		}
		return id
	}
	return ""
}

// Published gives the data of an event's occurrences that were published so far, in
// their order: what was written to the outbox is published by Drain, Advance and
// RunAll. The event's topic is one of Config.Topics.
func Published[E any](k *Kit, event job.Event[E]) []E {
	k.t.Helper()
	var all []E
	for _, m := range k.topics.published {
		if m.Name != event.Definition().Name {
			continue
		}
		message, err := queue.DecodeMessage(m.Body)
		if err != nil {
			k.t.Fatalf("nightshifttest: reading what was published: %v", err)
		}
		data, err := payload.Decode[E](message.Event.Data)
		if err != nil {
			k.t.Fatalf("nightshifttest: %s, %s: no %T: %v", m.Name, short(message.Event.Data), data, err)
		}
		all = append(all, data)
	}
	return all
}
