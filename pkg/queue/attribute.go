package queue

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// MaxAttributes is how many message attributes SQS takes with one message.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
const MaxAttributes = 10

// An Attribute is a message attribute of SQS.
type Attribute struct {
	// Type is String, Number or Binary, which a label of the sender's may
	// follow after a dot.
	Type string `json:"type"`
	// Text is the value of a String or a Number.
	Text string `json:"text,omitempty"`
	// Binary is the value of a Binary.
	Binary []byte `json:"binary,omitempty"`
}

// String makes an attribute of a text.
func String(text string) Attribute { return Attribute{Type: "String", Text: text} }

// ReadyAttribute is the message attribute that says when a job's message may be
// worked on, in milliseconds since 1970, where that is not when the job was created.
// Workers tell by it how long the job waited.
const ReadyAttribute = "ready_ms"

// Ready makes the attributes that say when a message may be worked on.
func Ready(at time.Time) map[string]Attribute {
	return map[string]Attribute{ReadyAttribute: {Type: "Number", Text: strconv.FormatInt(at.UnixMilli(), 10)}}
}

// ReadyAt reads what Ready wrote, of the attribute's text; ok is false where that is
// no time.
func ReadyAt(text string) (at time.Time, ok bool) {
	ms, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMilli(ms).UTC(), err == nil && ms > 0
}

// binary tells which of the two values counts.
func (a Attribute) binary() bool { return strings.HasPrefix(a.Type, "Binary") }

// size is what SQS counts: name, type and value, as they are sent. A character that
// is replaced may grow: U+FFFD has three bytes.
func (a Attribute) size(name string) int {
	if a.binary() {
		return len(name) + len(a.Type) + len(a.Binary)
	}
	return len(name) + len(a.Type) + len(Clean(a.Text))
}

// sdk gives the attribute as the SDK has it. Characters that SQS refuses are
// replaced.
func (a Attribute) sdk() types.MessageAttributeValue {
	v := types.MessageAttributeValue{DataType: &a.Type}
	if a.binary() {
		v.BinaryValue = a.Binary
	} else {
		text := Clean(a.Text)
		v.StringValue = &text
	}
	return v
}
