package queue

import (
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Message attributes of a letter whose body is somebody else's: what could not
// be decoded is kept as it came.
const (
	ReasonAttribute = "nightshift-reason"
	CodeAttribute   = "nightshift-code"
)

// maxReason bounds the reason in a message attribute, in bytes.
const maxReason = 1 << 10

// Undecodable makes a letter of a message that can't be read: the body is as it
// came, the reason goes in the message attributes nightshift-reason and
// nightshift-code ("undecodable", where the cause has no code of its own). A body
// that leaves them no room within SQS's 1 MiB loses its end, which the reason
// tells: without that SQS would take no letter, and the message would come again
// and again.
func Undecodable(body string, cause error) Outgoing {
	code := job.ErrorCode(cause)
	if code == job.DefaultErrorCode {
		code = "undecodable"
	}
	letter := Outgoing{Body: body, Attributes: map[string]string{
		ReasonAttribute: cut(Clean(cause.Error()), maxReason), CodeAttribute: code,
	}}
	if letter.size() > MaxBatchBytes {
		letter.Attributes[ReasonAttribute] += fmt.Sprintf(" (the letter holds the beginning of the message's %d bytes)", len(body))
		letter.Body = cut(body, len(body)-(letter.size()-MaxBatchBytes))
	}
	return letter
}

// cut shortens a text to at most limit bytes, and leaves no half character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
