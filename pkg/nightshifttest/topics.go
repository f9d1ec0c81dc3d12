package nightshifttest

import (
	"context"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/topic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// topics are Config.Topics, in place of SNS: what is published goes to the queue of
// each subscriber, that is of each handler that worker.On made (Serve).
type topics struct {
	kit         *Kit
	subscribers []subscriber
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
	t.kit.t.Helper()
	s := h.Subscriber()
	if s == nil {
		return
	}
	event, task := s.Subscribed()
	if !slices.Contains(t.kit.config.Topics, event.Topic) {
		t.kit.t.Fatalf("nightshifttest: Serve: task %q is subscribed to %q, and its topic %q is none of the kit's: pass it in Config.Topics", task.Name, event.Name, event.Topic.Name)
	}
	t.subscribers = append(t.subscribers, subscriber{event, task, q})
}

// Publish brings messages to the queues of those who are subscribed to them.
func (t *topics) Publish(ctx context.Context, arn string, messages []topic.Outgoing) []error {
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

// jobOf is the job that a message of a queue stands for. An event's is known to the
// subscriber alone, which also knows how many attempts it will have: it has no row yet.
func (t *topics) jobOf(q *simQueue, m queue.Message, group string) (id job.ID, attempts int) {
	if m.Event == nil {
		return m.ID, 0
	}
	for _, s := range t.subscribers {
		if s.queue != q || s.event.Name != m.Event.Name {
			continue
		}
		id := m.Event.Job(s.task.Name)
		if q.FIFO {
			id = id.InGroup(q.Name, group)
		}
		return id, s.task.Policy.MaxAttempts
	}
	return "", 0
}
