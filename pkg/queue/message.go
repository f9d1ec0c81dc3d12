// Package queue is what travels through SQS: the message that stands for a job,
// the letter that tells of a dead one, and the calls that send, receive, hide,
// delete and count them.
//
// A message is small: it holds the job's id, the number of its publication and a
// trace header. The arguments stay in the job's row and come with the claim.
package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// A Message stands for a job in its queue.
type Message struct {
	// ID is the job's.
	ID job.ID `json:"id"`
	// N numbers the publications of the job's row.
	N int64 `json:"n"`
	// Trace is the trace header of the request that made the job.
	Trace string `json:"trace,omitempty"`
	// Letter is set in dead-letter queues. A letter that comes back to the
	// job's queue asks for a redrive.
	Letter *Letter `json:"letter,omitempty"`
}

// ErrUndecodable is wrapped where a message is none of ours.
var ErrUndecodable = errors.New("queue: undecodable message")

// Encode gives the message's body. Characters that SQS refuses are replaced.
func (m Message) Encode() (string, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("queue: encoding the message of job %s: %w", m.ID, err)
	}
	return Clean(string(body)), nil
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
	if _, err := job.ParseID(string(m.ID)); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return m, nil
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
