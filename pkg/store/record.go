package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A Record is a job's row.
type Record struct {
	lifecycle.Row

	ID    job.ID
	Task  string
	Queue string
	// Args are the arguments as JSON.
	Args []byte
	// Cursor is what Continue saved, and Result what the handler returned; as
	// JSON, nil where there is none.
	Cursor, Result []byte
	// Error is why the last attempt failed, or why the job ended.
	Error *JobError
	// N counts publications; it only grows.
	N int64
	// Publication is set while the row waits for the relay.
	Publication *Publication
	// Fingerprint is the hash of the request that chose the id.
	Fingerprint string
	// Client is who enqueued the job over HTTP, Trace the header that came along.
	Client, Trace string

	Created, Started, Finished time.Time
}

// A JobError is a failure for people and programs.
type JobError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A Publication asks the relay to publish a row.
type Publication struct {
	// To is where; see ToQueue and ToLetters.
	To string
	// N tells this publication from earlier ones of the same row.
	N int64
	// At is when the message is to be visible.
	At time.Time
}

const (
	toQueue   = "queue:"
	toLetters = "letters:"
)

// ToQueue addresses a queue.
func ToQueue(name string) string { return toQueue + name }

// ToLetters addresses a queue's dead-letter queue.
func ToLetters(queue string) string { return toLetters + queue }

// Address splits what Publication.To holds.
func (p Publication) Address() (queue string, letters bool, err error) {
	if name, ok := strings.CutPrefix(p.To, toQueue); ok {
		return name, false, nil
	}
	if name, ok := strings.CutPrefix(p.To, toLetters); ok {
		return name, true, nil
	}
	return "", false, fmt.Errorf("store: a publication to %q: neither a queue nor its letters", p.To)
}

func (p Publication) value() types.AttributeValue {
	return &types.AttributeValueMemberM{Value: Item{"to": text(p.To), "n": number(p.N), "at_ms": millis(p.At)}}
}

// ErrNotAJob is returned for a row that is not a job's.
var ErrNotAJob = errors.New("store: the row is not a job")

// ErrUnreadable is wrapped where a job's row makes no sense: reading it again
// can't help.
var ErrUnreadable = errors.New("store: a job's row can't be read")

// Decode reads a job's row, as a driver or the table's stream gives it.
func Decode(item Item) (Record, error) {
	id, ok := IDFrom(item)
	if !ok {
		return Record{}, ErrNotAJob
	}
	state := lifecycle.State(str(item, "state"))
	if !state.Valid() {
		return Record{}, fmt.Errorf("%w: %s: %q is no state", ErrUnreadable, id, state)
	}
	rec := Record{
		ID: id, Task: str(item, "task"), Queue: str(item, "queue"),
		Args: raw(item, "args"), Cursor: raw(item, "cursor"), Result: raw(item, "result"),
		N: num(item, "n"), Fingerprint: str(item, "fingerprint"), Client: str(item, "client"), Trace: str(item, "trace"),
		Created: at(item, "created_ms"), Started: at(item, "started_ms"), Finished: at(item, "finished_ms"),
		Row: lifecycle.Row{
			State: state, Token: str(item, "token"),
			LeaseUntil: at(item, "lease_until_ms"), NotBefore: at(item, "not_before_ms"),
			Attempt: int(num(item, "attempt")), MaxAttempts: int(num(item, "max_attempts")),
			Alone: flag(item, "alone"), Deaths: int(num(item, "deaths")),
			CancelRequested: flag(item, "cancel_requested"),
		},
	}
	if s := num(item, ExpiresAt); s != 0 {
		rec.Expires = time.Unix(s, 0).UTC()
	}
	if m := document(item, "error"); m != nil {
		rec.Error = &JobError{Code: str(m, "code"), Message: str(m, "message")}
	}
	if m := document(item, Publish); m != nil {
		rec.Publication = &Publication{To: str(m, "to"), N: num(m, "n"), At: at(m, "at_ms")}
	}
	return rec, nil
}

// The readers below answer the zero value for an attribute that is absent or of
// another type: rows are written by this package alone.

func str(item Item, name string) string {
	if v, ok := item[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func raw(item Item, name string) []byte {
	if s := str(item, name); s != "" {
		return []byte(s)
	}
	return nil
}

func num(item Item, name string) int64 {
	if v, ok := item[name].(*types.AttributeValueMemberN); ok {
		n, err := strconv.ParseInt(v.Value, 10, 64)
		if err == nil {
			return n
		}
	}
	return 0
}

func flag(item Item, name string) bool {
	v, ok := item[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

func at(item Item, name string) time.Time {
	if ms := num(item, name); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

func document(item Item, name string) Item {
	if v, ok := item[name].(*types.AttributeValueMemberM); ok {
		return v.Value
	}
	return nil
}
