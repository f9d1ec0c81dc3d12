package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A NewEvent is an event to be published.
type NewEvent struct {
	// ID is 26 characters, as a job's (Jobs.NewID).
	ID string
	// Name is the event's, Topic the name of its topic.
	Name, Topic string
	// FIFO tells that the topic keeps the events of one Key in order.
	FIFO bool
	// Key names what the event happened to; required on a FIFO topic.
	Key string
	// Version is that of the data, from 1.
	Version int
	// Data are JSON.
	Data []byte
	// Trace is the trace header of the request that it happened in.
	Trace string
}

// An Event is an event's row, in the outbox until it was published and for
// EventRetention after that.
type Event struct {
	NewEvent
	Created time.Time
	// Sent is when the topic took it; zero while it waits.
	Sent time.Time
	// N counts publications; it only grows.
	N int64
	// Publication is set while the row waits for the relay.
	Publication *Publication
	// Due is when it comes up again, where it was put off; else zero.
	Due time.Time
	// Expires is when the row's time to live is over; zero while it has none.
	Expires time.Time
	// Refused is why the topic will never take it; nil where it may.
	Refused *JobError

	key Item
}

// How long the row of a published event is kept, so that it can be sent again by
// hand: until it is so old, and so long after it was sent. The jobs of subscribers
// outlive it, so that they know an event that is sent again.
const (
	EventRetention = 7 * 24 * time.Hour
	SentRetention  = 24 * time.Hour
)

// ErrNotAnEvent is returned for a row that is not an event's.
var ErrNotAnEvent = errors.New("store: the row is not an event")

func eventKey(n NewEvent) Item {
	if n.FIFO {
		return Item{PartitionKey: text("events#" + n.Topic + "#" + n.Key), SortKey: text("event#" + n.ID)}
	}
	return Item{PartitionKey: text("event#" + n.ID), SortKey: text("event")}
}

// isEvent tells whether a key is that of an event's row.
func isEvent(key Item) bool {
	pk, sk := str(key[PartitionKey]), str(key[SortKey])
	return sk == "event" && strings.HasPrefix(pk, "event#") || strings.HasPrefix(pk, "events#") && strings.HasPrefix(sk, "event#")
}

// EventWrite gives the write that puts an event into the outbox. It belongs into a
// transaction with what the event tells of.
func (j *Jobs) EventWrite(n NewEvent) Write {
	now := fromMillis(j.now())
	row := eventKey(n)
	row["event"], row["topic"], row["data"] = text(n.Name), text(n.Topic), text(string(n.Data))
	row["version"], row["created_ms"], row["n"] = number(max(n.Version, 1)), millis(now), one
	row[Publish] = Publication{To: ToTopic(n.Topic), N: 1, At: now}.value()
	if n.FIFO {
		row["fifo"] = yes
	}
	for name, value := range map[string]string{"id": n.ID, "key": n.Key, "trace": n.Trace} {
		if value != "" {
			row[name] = text(value)
		}
	}
	condition := "attribute_not_exists(#pk)"
	// Key: the event's. Condition: no such row. A lost race: this very write,
	// its answer lost.
	return Write{Op: Put, Item: row, Condition: condition, Names: namesIn(condition)}
}

// DecodeEvent reads an event's row, as a driver or the table's stream gives it.
func DecodeEvent(item Item) (Event, error) {
	if !isEvent(item) {
		return Event{}, ErrNotAnEvent
	}
	e := Event{
		NewEvent: NewEvent{
			ID: str(item["id"]), Name: str(item["event"]), Topic: str(item["topic"]), FIFO: flag(item["fifo"]), Version: int(num(item["version"])),
			Key: str(item["key"]), Data: raw(item["data"]), Trace: str(item["trace"]),
		},
		Created: at(item["created_ms"]), Sent: at(item["sent_ms"]), N: num(item["n"]),
		Publication: publicationOf(item[Publish]), Refused: jobErrorOf(item["error"]),
		key: Item{PartitionKey: item[PartitionKey], SortKey: item[SortKey]},
	}
	if s := num(item[ExpiresAt]); s != 0 {
		e.Expires = time.Unix(s, 0).UTC()
	}
	if e.Publication != nil {
		e.Due = at(item[DueAt])
	}
	if e.ID == "" || e.Name == "" || e.Topic == "" {
		return Event{}, fmt.Errorf("%w: the event %q", ErrUnreadable, str(item[PartitionKey]))
	}
	return e, nil
}

func publicationOf(v types.AttributeValue) *Publication {
	m := document(v)
	if m == nil {
		return nil
	}
	return &Publication{To: str(m["to"]), N: num(m["n"]), At: at(m["at_ms"]), Probe: str(m["probe"])}
}

func jobErrorOf(v types.AttributeValue) *JobError {
	m := document(v)
	if m == nil {
		return nil
	}
	return &JobError{Code: str(m["code"]), Message: str(m["message"])}
}

// EventSent notes that an event's topic has taken it. Repeating it does no harm.
func (j *Jobs) EventSent(ctx context.Context, e Event) error {
	now := j.now()
	expires := now.Add(SentRetention)
	if old := e.Created.Add(EventRetention); old.After(expires) {
		expires = old
	}
	// Key: the event's. Condition: this publication waits. A lost race: noted
	// before, or sent again by hand.
	_, err := j.writeEvent(ctx, "noting", e, update(e.key,
		"SET #sent_ms = :now, #ttl = :ttl REMOVE #publish, #due_slot, #due_ms", "#publish.#n = :n",
		Item{":n": number(e.N), ":now": millis(now), ":ttl": seconds(expires)}))
	return err
}

// PutOffEvent lets an event whose topic takes nothing for now come up with what is
// due at a time. The row keeps asking to be published. It does nothing (false) where
// the row changed since it was read.
func (j *Jobs) PutOffEvent(ctx context.Context, e Event, until time.Time) (bool, error) {
	// Key: the event's. Condition: this publication waits. A lost race: it was
	// sent after all, or asked for again.
	return j.writeEvent(ctx, "putting off", e, update(e.key,
		"SET #due_ms = :due, #due_slot = :slot", "#publish.#n = :n",
		Item{
			":n": number(e.N), ":due": ceilMillis(until),
			":slot": text(slot(until.Add(time.Millisecond-1), shardOfText(e.ID))),
		}))
}

// EventRefused sets an event aside that its topic will never take, with the reason,
// until somebody looks (RefusedEvents) and resends or deletes it.
func (j *Jobs) EventRefused(ctx context.Context, e Event, cause error) error {
	// Key: the event's. Condition: this publication waits. A lost race: sent
	// again by hand.
	_, err := j.writeEvent(ctx, "refusing", e, update(e.key,
		"SET #error = :error, #due_slot = :slot, #due_ms = :created REMOVE #publish", "#publish.#n = :n",
		Item{
			":n": number(e.N), ":error": errorValue(cause), ":created": millis(e.Created),
			":slot": refusedSlot(shardOfText(e.ID)),
		}))
	return err
}

// Resend asks the relay to publish an event again. It does nothing (false) where the
// row changed since it was read.
func (j *Jobs) Resend(ctx context.Context, e Event) (bool, error) {
	values := Item{":seen": number(e.N), ":n": number(e.N + 1)}
	values[":publish"] = Publication{To: ToTopic(e.Topic), N: e.N + 1, At: j.now()}.value()
	// Key: the event's. Condition: that n. A lost race: resent by another.
	return j.writeEvent(ctx, "resending", e, update(e.key,
		"SET #n = :n, #publish = :publish REMOVE #error, #due_slot, #due_ms, #ttl, #sent_ms", "#n = :seen", values))
}

// GetEvent reads an event's row, consistently. n has its ID and, where the topic is
// FIFO, that and the topic and the key, which it takes to find the row.
func (j *Jobs) GetEvent(ctx context.Context, n NewEvent) (Event, error) {
	item, err := j.driver.Get(ctx, eventKey(n))
	if err != nil {
		return Event{}, fmt.Errorf("store: reading event %s: %w", n.ID, err)
	}
	if item == nil {
		return Event{}, fmt.Errorf("%w: event %s", ErrNotFound, n.ID)
	}
	e, err := DecodeEvent(item)
	if err == nil && !e.Expires.IsZero() && !e.Expires.After(j.now()) {
		return Event{}, fmt.Errorf("%w: event %s, whose time is over", ErrNotFound, n.ID)
	}
	return e, err
}

// writeEvent makes one conditional write of an event's row; false where its
// condition did not hold.
func (j *Jobs) writeEvent(ctx context.Context, doing string, e Event, w Write) (bool, error) {
	_, err := j.driver.Write(ctx, w)
	if errors.Is(err, ErrCondition) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: %s event %s: %w", doing, e.ID, err)
	}
	return true, nil
}

// promoteEvent asks the relay again for an event that was put off.
func (j *Jobs) promoteEvent(ctx context.Context, due DueJob) (bool, error) {
	item, err := j.driver.Get(ctx, due.key)
	if err != nil {
		return false, fmt.Errorf("store: reading an event that is due: %w", err)
	}
	if item == nil {
		return false, nil
	}
	e, err := DecodeEvent(item)
	if err != nil || e.Publication == nil || num(item[DueAt]) != due.ms {
		return false, err
	}
	return j.Resend(ctx, e)
}
