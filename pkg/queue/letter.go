package queue

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Letter tells people why a job is dead. The message around it has the job's
// id, the number of the letter's publication and the trace header.
type Letter struct {
	Task  string `json:"task"`
	Queue string `json:"queue"`
	// Code and Reason are of the failure that ended the job.
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Attempts were made of MaxAttempts; Deaths is how often its worker died.
	Attempts    int `json:"attempts"`
	MaxAttempts int `json:"max_attempts,omitempty"`
	Deaths      int `json:"deaths,omitempty"`
	// Client is who enqueued the job over HTTP.
	Client    string    `json:"client,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// StartedAt is when the first attempt began.
	StartedAt time.Time `json:"started_at,omitzero"`
	// DiedAt tells this death from earlier ones of the same job.
	DiedAt time.Time `json:"died_at"`
	// Refused is why the letter lies in the dead-letter queue again although
	// somebody sent it back; see package deadletter.
	Refused string `json:"refused,omitempty"`
}

// Message attributes of a letter whose body is somebody else's: what could not
// be decoded is kept as it came, and its own attributes with it.
const (
	ReasonAttribute = "nightshift-reason"
	CodeAttribute   = "nightshift-code"
)

// CodeUndecodable is the code of a message that can't be read, where the cause has
// none of its own.
const CodeUndecodable = "undecodable"

// maxReason bounds the reason in a message attribute, in bytes.
const maxReason = 1 << 10

// Undecodable makes a letter of a message that can't be read. Body, attributes,
// trace and group are as they came. The reason goes beside them, in the message
// attributes nightshift-reason and nightshift-code, as far as there is room: SQS
// takes ten attributes and 1 MiB in all, and what came goes before what is said
// of it. Reading the body again tells the reason as well.
func Undecodable(came Outgoing, cause error) Outgoing {
	letter := came
	letter.Attributes = Own(came.Attributes)
	code := job.ErrorCode(cause)
	if code == job.DefaultErrorCode {
		code = CodeUndecodable
	}
	letter.note(CodeAttribute, code)
	letter.note(ReasonAttribute, cut(Clean(cause.Error()), maxReason))
	return letter
}

// note adds an attribute where there is room for it, cut to what there is.
func (m *Outgoing) note(name, text string) {
	room := MaxBatchBytes - m.size() - String("").size(name)
	text = cut(text, max(room, 0))
	if text == "" || len(m.Attributes) >= MaxAttributes {
		return
	}
	m.Attributes[name] = String(text)
}

// Own gives a copy of a message's attributes without those that say why it is in
// a dead-letter queue.
func Own(attributes map[string]Attribute) map[string]Attribute {
	own := maps.Clone(attributes)
	if own == nil {
		own = map[string]Attribute{}
	}
	delete(own, ReasonAttribute)
	delete(own, CodeAttribute)
	return own
}

// Refuse gives the message of a letter that goes back to its dead-letter queue,
// with the reason.
func (m Message) Refuse(cause error) Message {
	letter := *m.Letter
	letter.Refused = cut(fmt.Sprint(cause), maxReason)
	m.Letter = &letter
	return m
}

// LetterOut makes what is sent to a dead-letter queue for a letter. In a FIFO
// queue each job's letters are a group of their own: SQS hides the rest of a group
// while one of it is in somebody's hands, and a list would end there.
func (m Message) LetterOut(fifo bool) (Outgoing, error) {
	body, err := m.Encode()
	if err != nil {
		return Outgoing{}, err
	}
	out := Outgoing{Body: body}
	if fifo {
		out.Group, out.Dedup = Fitting(string(m.ID)), Fitting(fmt.Sprintf("%s:%d", m.ID, m.N))
	}
	return out, nil
}

// cut shortens a text to at most limit bytes, and leaves no half character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
