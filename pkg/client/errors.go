package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrGaveUp says that a call was not answered as it should within its attempts, its
// budget or its time. The error is a *GaveUpError.
var ErrGaveUp = errors.New("client: gave up")

// Reasons to give up.
const (
	// NotTemporary: sending it again can't help. Calls return such an answer as
	// it is, a *ResponseError.
	NotTemporary = "not temporary"
	// OutOfAttempts: it was sent as often as it may.
	OutOfAttempts = "attempts"
	// OutOfBudget: too many calls of this client fail.
	OutOfBudget = "budget"
	// OutOfTime: the context ends before the next attempt may be made, or the
	// server asked for a wait that is too long (RetryPolicy.LongestWait).
	OutOfTime = "time"
)

// A GaveUpError tells of a call that would have to be repeated and is not.
type GaveUpError struct {
	// Reason is OutOfAttempts, OutOfBudget or OutOfTime.
	Reason string
	// Attempts is how often it was sent.
	Attempts int
	// At is when somebody may try again.
	At time.Time
	// Kept is the job that was to be enqueued, for Resume; nil for other calls,
	// which leave nothing to be kept.
	Kept *Kept
	// Err is the last failure.
	Err error
}

// Error says why, after how many attempts, and what the last failure was.
func (e *GaveUpError) Error() string {
	return fmt.Sprintf("%v after %d attempts (out of %s): %v", ErrGaveUp, e.Attempts, e.Reason, e.Err)
}

// Is makes errors.Is(err, ErrGaveUp) true.
func (e *GaveUpError) Is(target error) bool { return target == ErrGaveUp }

// Unwrap gives the last failure.
func (e *GaveUpError) Unwrap() error { return e.Err }

// A ResponseError is an answer that is no success. Where the server explained
// itself (RFC 9457), its words are here.
type ResponseError struct {
	// Status is the HTTP status.
	Status int `json:"-"`
	// Type is a stable name: "urn:nightshift:problem:queue-full".
	Type string `json:"type"`
	// Title and Detail are for people.
	Title  string `json:"title"`
	Detail string `json:"detail"`
	// RequestID finds the request in the server's logs.
	RequestID string `json:"request_id"`

	wait  time.Duration
	asked bool // wait is the server's
}

// Error says what the server said.
func (e *ResponseError) Error() string {
	text := fmt.Sprintf("client: %d %s", e.Status, http.StatusText(e.Status))
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// RetryAfter is how long the server asked to wait; ok is false where it said
// nothing, or nothing that can be read.
func (e *ResponseError) RetryAfter() (wait time.Duration, ok bool) { return e.wait, e.asked }

// responseError reads what an answer says of itself.
func (c *Client) responseError(a answer) *ResponseError {
	e := &ResponseError{Status: a.status}
	if strings.Contains(a.header.Get("Content-Type"), "json") {
		// A body that is something else leaves the status to speak.
		if err := json.Unmarshal(a.body, e); err != nil {
			*e = ResponseError{Status: a.status}
		}
	}
	e.wait, e.asked = retryAfter(a.header, c.config.Now())
	return e
}

// temporary tells whether the same request may be answered otherwise later.
func (e *ResponseError) temporary() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
