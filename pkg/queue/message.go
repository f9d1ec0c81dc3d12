// Package queue is what travels through SQS: the message that stands for a job,
// the letter that tells of a dead one, and the calls that send, receive, hide,
// delete and count them.
//
// A message is small: it holds the job's id, the number of its publication and a
// trace header. The arguments stay in the job's row and come with the claim.
package queue

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// A Message stands for a job in its queue, or is an event that a topic brought.
type Message struct {
	// ID is the job's; empty for an event.
	ID job.ID `json:"id,omitempty"`
	// N numbers the publications of the job's row.
	N int64 `json:"n,omitempty"`
	// Trace is the trace header of the request that made the job.
	Trace string `json:"trace,omitempty"`
	// Letter is set in dead-letter queues. A letter that comes back to the
	// job's queue asks for a redrive.
	Letter *Letter `json:"letter,omitempty"`
	// Event is set in the messages of topics.
	Event *Event `json:"event,omitempty"`
}

// An Event is something that happened, as a topic brings it to its subscribers.
type Event struct {
	// ID names the event, the same in every delivery to every subscriber.
	ID string `json:"id"`
	// Name is the kind of event.
	Name string `json:"name"`
	// Key is what it happened to; empty where its publisher named nothing.
	Key string `json:"key,omitempty"`
	// Version is that of the data.
	Version int `json:"v"`
	// At is when its row was written.
	At time.Time `json:"at"`
	// Data are the event's data as JSON.
	Data json.RawMessage `json:"data"`
}

// Job gives the id of the job that a task does for the event: the same for every
// delivery.
func (e Event) Job(task string) job.ID {
	hash := sha256.Sum256([]byte(e.ID + "\x00" + task))
	return job.IDOf([16]byte(hash[:16]))
}

// ErrUndecodable is wrapped where a message is none of ours.
var ErrUndecodable = errors.New("queue: undecodable message")

// Encode gives the message's body. Characters that SQS refuses are escaped.
func (m Message) Encode() (string, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("queue: encoding the message of job %s: %w", m.ID, err)
	}
	return escape(string(body)), nil
}

// escape writes the two characters of a JSON text that SQS refuses (U+FFFE and
// U+FFFF; they can stand in strings only) as JSON escapes, so that they arrive.
func escape(text string) string {
	return Clean(strings.NewReplacer("\uFFFE", `\ufffe`, "\uFFFF", `\uffff`).Replace(text))
}

// DecodeMessage reads a message's body.
func DecodeMessage(body string) (Message, error) {
	m, usual := decodeUsual(body)
	if !usual {
		var err error
		if m, err = payload.Decode[Message]([]byte(body)); err != nil {
			return Message{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
		}
	}
	if m.Event != nil {
		return m, m.checkEvent()
	}
	if _, err := job.ParseID(string(m.ID)); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return m, nil
}

// checkEvent refuses an event message that says too little, or is a job's as well.
func (m Message) checkEvent() error {
	switch e := m.Event; {
	case m.ID != "", m.Letter != nil:
		return fmt.Errorf("%w: it is both a job's and an event's", ErrUndecodable)
	case e.ID == "", e.Name == "", e.Version < 1, len(e.Data) == 0:
		return fmt.Errorf("%w: an event has an id, a name, data and their version", ErrUndecodable)
	}
	return nil
}

// decodeUsual reads a body that is letter for letter as Encode writes it, without
// a letter and without escapes: nearly every one is, and it costs next to nothing.
func decodeUsual(body string) (m Message, ok bool) {
	id, rest, ok := cutText(body, `{"id":"`)
	if !ok {
		return Message{}, false
	}
	rest, ok = strings.CutPrefix(rest, `,"n":`)
	if !ok {
		return Message{}, false
	}
	end := strings.IndexAny(rest, ",}")
	if end < 1 || rest[0] < '1' || rest[0] > '9' {
		return Message{}, false
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil {
		return Message{}, false
	}
	trace, after, ok := cutText(rest[end:], `,"trace":"`)
	if ok {
		rest, end = after, 0
	}
	return Message{ID: job.ID(id), N: n, Trace: trace}, rest[end:] == "}"
}

// cutText cuts a prefix and the plain ASCII text between it and the next quote.
func cutText(s, prefix string) (text, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, prefix)
	if !ok {
		return "", "", false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			return s[:i], s[i+1:], true
		case c == '\\', c < ' ', c > '~':
			return "", "", false
		}
	}
	return "", "", false
}

// Clean replaces what SQS refuses in a body by U+FFFD: it takes
// #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
func Clean(body string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0x9, r == 0xA, r == 0xD,
			r >= 0x20 && r <= 0xD7FF,
			r >= 0xE000 && r <= 0xFFFD,
			r >= 0x10000 && r <= 0x10FFFF:
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(body, "\uFFFD"))
}
