package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// A happening is an event's row to publish.
type happening struct {
	index int
	row   store.Event
	out   topic.Outgoing
}

// A topicTarget is the events of one topic, in order.
type topicTarget struct {
	arn     string
	fifo    bool
	entries []happening
	err     error
}

// sortEvents picks the events to publish and gathers them by topic, in order. What
// can't be read was logged when the jobs were sorted.
func (r *Relay) sortEvents(ctx context.Context, records []events.DynamoDBEventRecord) []*topicTarget {
	byTopic := map[string]*topicTarget{}
	var targets []*topicTarget
	for i, record := range records {
		image, err := newlyAsking(record)
		if image == nil || err != nil {
			continue
		}
		row, err := store.DecodeEvent(image)
		if errors.Is(err, store.ErrNotAnEvent) {
			continue
		}
		if err != nil {
			r.config.Logger.ErrorContext(ctx, "an event that asks to be published can't be read and is passed over", "sequence", record.Change.SequenceNumber, "error", err.Error())
			continue
		}
		t := byTopic[row.Topic]
		if t == nil {
			t = r.topicTarget(row)
			byTopic[row.Topic] = t
			targets = append(targets, t)
		}
		out, err := eventMessage(row)
		if err != nil {
			r.config.Logger.ErrorContext(ctx, "an event's message can't be made; its row is passed over", "event", row.ID, "error", err.Error())
			continue
		}
		t.entries = append(t.entries, happening{i, row, out})
	}
	return targets
}

func (r *Relay) topicTarget(row store.Event) *topicTarget {
	arn, known := r.config.TopicARNs[row.Topic]
	t := &topicTarget{arn: arn, fifo: row.FIFO}
	if !known {
		// A mistake in a deployment: its events are put off rather than hold up
		// their shard, and may lose their order.
		t.fifo = false
		t.err = fmt.Errorf("relay: there is no ARN for topic %q", row.Topic)
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

// publishEvents publishes a topic's events and deals with every result. On a FIFO
// topic a key stops at its first failed event, which is reported as failed.
func (r *Relay) publishEvents(ctx context.Context, t *topicTarget, failed []bool) {
	sending, cancel := context.WithTimeout(ctx, sendTime(ctx))
	defer cancel()
	stopped := map[string]bool{}
	for _, round := range eventRounds(t) {
		var sent []happening
		for _, e := range round {
			if stopped[e.out.Group] {
				failed[e.index] = true
				continue
			}
			sent = append(sent, e)
		}
		for i, err := range r.sendEvents(sending, t, sent) {
			if r.eventHandled(ctx, t, sent[i], err) {
				continue
			}
			failed[sent[i].index] = true
			if t.fifo {
				stopped[sent[i].out.Group] = true
			}
		}
	}
}

// eventRounds splits a FIFO topic's events so that no round holds two of one key.
func eventRounds(t *topicTarget) [][]happening {
	if !t.fifo {
		return [][]happening{t.entries}
	}
	return inRounds(t.entries, func(e happening) string { return e.out.Group })
}

func (r *Relay) sendEvents(ctx context.Context, t *topicTarget, entries []happening) []error {
	if t.err != nil {
		results := make([]error, len(entries))
		for i := range results {
			results[i] = t.err
		}
		return results
	}
	messages := make([]topic.Outgoing, len(entries))
	for i, e := range entries {
		messages[i] = e.out
	}
	return r.config.Topics.Publish(ctx, t.arn, messages)
}

// eventHandled deals with the result of one event. It tells whether the record may
// count as done with.
func (r *Relay) eventHandled(ctx context.Context, t *topicTarget, e happening, err error) bool {
	switch {
	case err == nil:
		if err := r.config.Jobs.EventSent(ctx, e.row); err != nil {
			r.config.Logger.WarnContext(ctx, "an event is out, which could not be noted", "event", e.row.ID, "error", err.Error())
		}
		return true
	case messageAtFault(err):
		return r.refuseEvent(ctx, e, err)
	case t.fifo:
		r.config.Logger.ErrorContext(ctx, "an event could not be published; its key waits", "event", e.row.ID, "error", err.Error())
		return false
	}
	return r.putOffEvent(ctx, e, err)
}

// refuseEvent sets an event aside that its topic will never take.
func (r *Relay) refuseEvent(ctx context.Context, e happening, cause error) bool {
	if err := r.config.Jobs.EventRefused(ctx, e.row, &refusedError{cause}); err != nil {
		r.config.Logger.ErrorContext(ctx, "a refused event could not be set aside", "event", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.ErrorContext(ctx, "a topic refuses an event; it waits for a person", "event", e.row.ID, "name", e.row.Name, "error", cause.Error())
	return true
}

// putOffEvent lets an event come up with what is due whose topic takes nothing for
// now. It waits half as long as it is old.
func (r *Relay) putOffEvent(ctx context.Context, e happening, cause error) bool {
	now := r.config.Now()
	wait := min(max(now.Sub(e.row.Created)/2, r.config.SetAside), longestPutOff)
	until := now.Add(wait + time.Duration(r.config.Random()*float64(wait)))
	put, err := r.config.Jobs.PutOffEvent(ctx, e.row, until)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "an event could neither be published nor put off", "event", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.WarnContext(ctx, "an event could not be published", "event", e.row.ID, "put_off", put, "until", until, "error", cause.Error())
	return true
}
