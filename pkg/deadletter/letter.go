package deadletter

import (
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A Letter is one message of a dead-letter queue. As JSON it is one flat object.
type Letter struct {
	// Job, N and Trace are of the job's message; empty where Unreadable.
	Job   job.ID `json:"job,omitempty"`
	N     int64  `json:"n,omitempty"`
	Trace string `json:"trace,omitempty"`
	// Letter tells of the death. Of what is unreadable it has Code and Reason,
	// and as DiedAt the time at which the message arrived.
	queue.Letter
	// MessageID is SQS's, ArrivedAt when the letter came to the queue, and
	// Receives how often it was in somebody's hands.
	MessageID string    `json:"message_id"`
	ArrivedAt time.Time `json:"arrived_at"`
	Receives  int       `json:"receives"`
	// Standing is what the letter means to its job now; empty where nobody
	// looked, or Unreadable.
	Standing Standing `json:"standing,omitempty"`
	// Unreadable is set for a message that is no letter of a job: a worker could
	// not read it, or SQS moved it here. Body and Attributes are as they came.
	Unreadable bool                       `json:"unreadable,omitempty"`
	Body       string                     `json:"body,omitempty"`
	Attributes map[string]queue.Attribute `json:"attributes,omitempty"`

	in queue.Incoming
}

// codeMoved is the code of a message of a job that is no letter: SQS moved it.
const codeMoved = "moved"

// Read makes a Letter of a received message.
func Read(in queue.Incoming) Letter {
	l := Letter{MessageID: in.ID, ArrivedAt: in.Sent, Receives: in.Receives, in: in}
	m, err := queue.DecodeMessage(in.Body)
	if err == nil && m.Letter != nil {
		l.Job, l.N, l.Trace, l.Letter = m.ID, m.N, m.Trace, *m.Letter
		return l
	}
	l.Unreadable, l.Body, l.Attributes, l.Trace = true, in.Body, queue.Own(in.Attributes), in.Trace
	l.Code, l.DiedAt = in.Attributes[queue.CodeAttribute].Text, in.Sent
	l.Reason = in.Attributes[queue.ReasonAttribute].Text
	switch {
	case err == nil:
		l.Job, l.N = m.ID, m.N
		l.describe(codeMoved, "the message of a job, which was received too often")
	default:
		l.describe(queue.CodeUndecodable, err.Error())
	}
	return l
}

// describe says of a message what its attributes don't say.
func (l *Letter) describe(code, reason string) {
	if l.Code == "" {
		l.Code = code
	}
	if l.Reason == "" {
		l.Reason = reason
	}
}

// message is the job's message again.
func (l Letter) message() queue.Message {
	return queue.Message{ID: l.Job, N: l.N, Trace: l.Trace, Letter: &l.Letter}
}

// A Filter picks letters. Each field that is set must match; the zero value
// matches all.
type Filter struct {
	// Task, Code and Client are as in the letter.
	Task, Code, Client string
	// Reason is a part of the letter's reason, in any case.
	Reason string
	// IDs are ids of jobs, or of SQS's messages.
	IDs []string
	// Since and Before bound the time of death: Since ≤ t < Before. Letters that
	// can't be read count by their arrival.
	Since, Before time.Time
}

// IsZero tells whether the filter matches all.
func (f Filter) IsZero() bool {
	return f.Task == "" && f.Code == "" && f.Client == "" && f.Reason == "" && len(f.IDs) == 0 && f.Since.IsZero() && f.Before.IsZero()
}

// Matches tells whether a letter is one of those that are looked for.
func (f Filter) Matches(l Letter) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return is(f.Task, l.Task) && is(f.Code, l.Code) && is(f.Client, l.Client) &&
		strings.Contains(strings.ToLower(l.Reason), strings.ToLower(f.Reason)) &&
		(len(f.IDs) == 0 || slices.Contains(f.IDs, string(l.Job)) || slices.Contains(f.IDs, l.MessageID)) &&
		(f.Since.IsZero() || !l.DiedAt.Before(f.Since)) &&
		(f.Before.IsZero() || l.DiedAt.Before(f.Before))
}
