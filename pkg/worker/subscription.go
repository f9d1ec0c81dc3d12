package worker

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// On does a task for each event that it is subscribed to, with f. The event's data
// are the arguments. An event comes at least once; the job that is made of it is
// the same each time, and its handler is run as any other's is: retried, with
// dead letters, cancellable, its effect committed.
func On[E any](s job.Subscription[E], f func(ctx context.Context, j *job.Job[E]) error, steps ...Step) Handler {
	h := Handle(s.Task(), f, steps...)
	h.subscription = s
	return h
}

// Subscriber gives the subscription of a handler that On made; nil for others.
func (h Handler) Subscriber() job.Subscriber { return h.subscription }

// subscribe notes which handler an event's messages go to.
func (w *Worker) subscribe(h *Handler) error {
	if h.subscription == nil {
		return nil
	}
	event, task := h.subscription.Subscribed()
	at := arrival{task.Policy.Queue.Name, event.Name}
	if other := w.subscribed[at]; other != nil {
		return fmt.Errorf("worker: the tasks %q and %q of queue %q are both subscribed to %q: a message is for one task; give each a queue of its own",
			other.definition.Name, task.Name, at.queue, event.Name)
	}
	if task.Policy.Queue.Hard {
		return fmt.Errorf("worker: task %q is subscribed to %q and its queue %q is Hard: nobody asks for room when an event is published; give the task a queue that is not, and let it enqueue",
			task.Name, event.Name, at.queue)
	}
	w.subscribed[at] = h
	return job.ValidateSubscriber(h.subscription)
}

// An arrival is an event that comes by a queue.
type arrival struct{ queue, event string }

// happened works through an event's message: it is claimed as the job of the task
// that is subscribed.
func (b *batch) happened(ctx context.Context, r *record, m queue.Message) fate {
	h := b.subscribed[arrival{b.queue.Queue.Name, m.Event.Name}]
	if h == nil {
		b.config.Logger.ErrorContext(ctx, "no task is subscribed to the event: its message waits for a version that has one", "event", m.Event.Name, "id", m.Event.ID)
		return visibleAt(b.config.Now().Add(newerWait))
	}
	n := h.jobOf(m, r.Group)
	r.ready = m.Event.At
	lease, err := b.newLease(b.alone)
	if err != nil {
		return b.unavailable(ctx, n.ID, err)
	}
	claim, err := b.config.Jobs.Begin(ctx, n, lease)
	if err != nil {
		return b.unclaimed(ctx, n.ID, lease, err)
	}
	return b.follow(ctx, r, &claim)
}

// jobOf is the job that an event's message stands for.
func (h *Handler) jobOf(m queue.Message, group string) store.NewJob {
	task := h.definition
	n := store.NewJob{
		ID: m.Event.Job(task.Name), Task: task.Name, Queue: task.Policy.Queue.Name, FIFO: task.Policy.Queue.FIFO,
		MaxAttempts: task.Policy.MaxAttempts, Args: m.Event.Data, Version: m.Event.Version, Trace: m.Trace,
	}
	if n.FIFO {
		n.ID = n.ID.InGroup(n.Queue, group)
	}
	return n
}
