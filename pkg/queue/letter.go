package queue

import (
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
// nightshift-code ("undecodable", where the cause has no code of its own).
func Undecodable(body string, cause error) Outgoing {
	code := job.ErrorCode(cause)
	if code == job.DefaultErrorCode {
		code = "undecodable"
	}
	reason := cause.Error()
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return Outgoing{Body: body, Attributes: map[string]string{ReasonAttribute: reason, CodeAttribute: code}}
}
