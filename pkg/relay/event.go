package relay

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// An eventEntry is an event's row and the message that is published for it.
type eventEntry = entry[store.Event, topic.Outgoing]

// placeEvent puts an event's row to those of the same topic.
func (r *Relay) placeEvent(ctx context.Context, s *sorted, index int, row store.Event) {
	t := s.events[row.Topic]
	if t == nil {
		t = r.topicTarget(row)
		s.events[row.Topic], s.all = t, append(s.all, t)
	}
	out, err := eventMessage(row)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "an event's message can't be made; its row is passed over", "event", row.ID, "error", err.Error())
		return
	}
	t.entries = append(t.entries, eventEntry{index: index, row: row, out: out, group: out.Group})
}

// topicTarget is the topic of an event.
func (r *Relay) topicTarget(row store.Event) *target[store.Event, topic.Outgoing] {
	arn, known := r.config.TopicARNs[row.Topic]
	// Without an ARN, a mistake in a deployment, events are put off rather than hold
	// up their shard, and may lose their order.
	t := &target[store.Event, topic.Outgoing]{fifo: row.FIFO && known}
	if !known {
		t.err = fmt.Errorf("relay: there is no ARN for topic %q", row.Topic)
	}
	t.send = func(ctx context.Context, messages []topic.Outgoing) []error {
		return r.config.Topics.Publish(ctx, arn, messages)
	}
	t.handled = func(ctx context.Context, e eventEntry, err error) bool {
		return r.measured(ctx, *e.row.Publication, err, r.eventHandled(ctx, e, err, t.fifo))
	}
	return t
}

// eventMessage makes what is published for an event. Each publication has its own
// deduplication id: a resent event is meant to be delivered again.
func eventMessage(row store.Event) (topic.Outgoing, error) {
	out, err := topic.Message(row.NewEvent, row.Created)
	if row.FIFO {
		out.Group, out.Dedup = queue.Fitting(row.Key), fmt.Sprintf("%s:%d", row.ID, row.N)
	}
	return out, err
}

// eventHandled deals with the result of one event. It tells whether the record may
// count as done with.
func (r *Relay) eventHandled(ctx context.Context, e eventEntry, err error, fifo bool) bool {
	switch {
	case err == nil:
		if err := r.config.Jobs.EventSent(ctx, e.row); err != nil {
			r.config.Logger.WarnContext(ctx, "an event is out, which could not be noted", "event", e.row.ID, "error", err.Error())
		}
		return true
	case messageAtFault(err):
		return r.refuseEvent(ctx, e, err)
	case fifo:
		r.config.Logger.ErrorContext(ctx, "an event could not be published; its key waits", "event", e.row.ID, "error", err.Error())
		return false
	}
	return r.putOffEvent(ctx, e, err)
}

// refuseEvent sets an event aside that its topic will never take.
func (r *Relay) refuseEvent(ctx context.Context, e eventEntry, cause error) bool {
	if err := r.config.Jobs.EventRefused(ctx, e.row, &refusedError{"the topic refuses the event", cause}); err != nil {
		r.config.Logger.ErrorContext(ctx, "a refused event could not be set aside", "event", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.ErrorContext(ctx, "a topic refuses an event; it waits for a person", "event", e.row.ID, "name", e.row.Name, "error", cause.Error())
	return true
}

// putOffEvent lets an event come up with what is due whose topic takes nothing for
// now. It waits half as long as it is old.
func (r *Relay) putOffEvent(ctx context.Context, e eventEntry, cause error) bool {
	until := r.putOffUntil(e.row.Created)
	put, err := r.config.Jobs.PutOffEvent(ctx, e.row, until)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "an event could neither be published nor put off", "event", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.WarnContext(ctx, "an event could not be published", "event", e.row.ID, "put_off", put, "until", until, "error", cause.Error())
	return true
}
