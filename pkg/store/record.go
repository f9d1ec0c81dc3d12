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
	// Args are the arguments as JSON, and ArgsObject is where they lie instead
	// where they are too large for a row.
	Args       []byte
	ArgsObject *lifecycle.Object
	// Version is that of the arguments, from 1 (job.Policy.Version).
	Version int
	// Cursor is what Continue saved, Progress what the handler last told of it,
	// and Result what it returned; as JSON, nil where there is none.
	Cursor, Progress, Result []byte
	// ResultObject is where the result lies instead.
	ResultObject *lifecycle.Object
	// Unique is the key by which the job is one of its kind; empty for most.
	Unique string
	// Error is why the last attempt failed, or why the job ended.
	Error *JobError
	// N counts publications; it only grows.
	N int64
	// Publication is set while the row waits for the relay.
	Publication *Publication
	// Follow is what the job's end entails; nil where that is nothing, or has
	// come about.
	Follow *Follow
	// Follows tells whose end made the job; nil for most.
	Follows *job.Follows
	// Degraded tells the handler that it may do less.
	Degraded bool
	// Spilled tells that the job, which is scheduled, waits for its release and not
	// for a time.
	Spilled bool
	// Hard and Spill are where the job is counted, or was; nil for most.
	Hard, Spill *Place
	// AsOf is when what the job is about was so; zero where nobody said. Replaced
	// counts the newer jobs whose arguments it was given.
	AsOf     time.Time
	Replaced int64
	// Fingerprint is the hash of the request that chose the id.
	Fingerprint string
	// Client is who enqueued the job over HTTP, Trace the header that came along.
	Client, Trace string

	Created, Started, Finished time.Time

	// key is the key that the row was written under, for the next write.
	key Item
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
	// Probe names who wants to know that the row was published (ConfirmProbe);
	// empty for most.
	Probe string
}

const (
	toQueue   = "queue:"
	toLetters = "letters:"
	toTopic   = "topic:"
)

// ToQueue addresses a queue.
func ToQueue(name string) string { return toQueue + name }

// ToLetters addresses a queue's dead-letter queue.
func ToLetters(queue string) string { return toLetters + queue }

// ToTopic addresses a topic.
func ToTopic(name string) string { return toTopic + name }

// Topic gives the topic that an event is published to.
func (p Publication) Topic() (name string, ok bool) { return strings.CutPrefix(p.To, toTopic) }

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
	fields := Item{"to": text(p.To), "n": number(p.N), "at_ms": millis(p.At)}
	if p.Probe != "" {
		fields["probe"] = text(p.Probe)
	}
	return &types.AttributeValueMemberM{Value: fields}
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
	state := lifecycle.State(str(item["state"]))
	if !state.Valid() {
		return Record{}, fmt.Errorf("%w: %s: %q is no state", ErrUnreadable, id, state)
	}
	rec := Record{ID: id, Version: 1}
	rec.State = state
	for name, value := range item {
		rec.set(name, value)
	}
	return rec, nil
}

// set takes one attribute over: a row is read in one pass. Attributes of other
// names are none of a Record's.
func (rec *Record) set(name string, v types.AttributeValue) {
	switch name {
	case "task":
		rec.Task = str(v)
	case "queue":
		rec.Queue = str(v)
	case "args":
		rec.Args = raw(v)
	case "args_object":
		rec.ArgsObject = object(v)
	case "result_object":
		rec.ResultObject = object(v)
	case "version":
		rec.Version = int(num(v))
	case "progress":
		rec.Progress = raw(v)
	case "unique":
		rec.Unique = str(v)
	case "suspect":
		rec.Suspect = flag(v)
	case "cursor":
		rec.Cursor = raw(v)
	case "result":
		rec.Result = raw(v)
	case "n":
		rec.N = num(v)
	case "fingerprint":
		rec.Fingerprint = str(v)
	case "client":
		rec.Client = str(v)
	case "trace":
		rec.Trace = str(v)
	case "created_ms":
		rec.Created = at(v)
	case "started_ms":
		rec.Started = at(v)
	case "finished_ms":
		rec.Finished = at(v)
	case "token":
		rec.Token = str(v)
	case "lease_until_ms":
		rec.LeaseUntil = at(v)
	case "not_before_ms":
		rec.NotBefore = at(v)
	case "attempt":
		rec.Attempt = int(num(v))
	case "max_attempts":
		rec.MaxAttempts = int(num(v))
	case "alone":
		rec.Alone = flag(v)
	case "deaths":
		rec.Deaths = int(num(v))
	case "cancel_requested":
		rec.CancelRequested = flag(v)
	case ExpiresAt:
		if s := num(v); s != 0 {
			rec.Expires = time.Unix(s, 0).UTC()
		}
	case "degraded":
		rec.Degraded = flag(v)
	case DueSlot:
		rec.Spilled = strings.HasPrefix(str(v), spillPrefix)
	case string(CountHard):
		rec.Hard = placeOf(v)
	case string(CountSpilled):
		rec.Spill = placeOf(v)
	case "as_of_ms":
		rec.AsOf = at(v)
	case "replaced":
		rec.Replaced = num(v)
	case "follow":
		rec.Follow = followOf(v)
	case "follows":
		rec.Follows = followsOf(v)
	case "error":
		rec.Error = jobErrorOf(v)
	case Publish:
		rec.Publication = publicationOf(v)
	}
}

// The readers below answer the zero value for an attribute that is absent or of
// another type: rows are written by this package alone.

func str(v types.AttributeValue) string {
	if v, ok := v.(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func raw(v types.AttributeValue) []byte {
	if s := str(v); s != "" {
		return []byte(s)
	}
	return nil
}

func num(v types.AttributeValue) int64 {
	if v, ok := v.(*types.AttributeValueMemberN); ok {
		n, err := strconv.ParseInt(v.Value, 10, 64)
		if err == nil {
			return n
		}
	}
	return 0
}

func flag(v types.AttributeValue) bool {
	b, ok := v.(*types.AttributeValueMemberBOOL)
	return ok && b.Value
}

func at(v types.AttributeValue) time.Time {
	if ms := num(v); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

func object(v types.AttributeValue) *lifecycle.Object {
	m := document(v)
	if m == nil {
		return nil
	}
	return &lifecycle.Object{Key: str(m["key"]), Bytes: num(m["bytes"])}
}

// objectValue writes what object reads.
func objectValue(o lifecycle.Object) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: Item{"key": text(o.Key), "bytes": number(o.Bytes)}}
}

func document(v types.AttributeValue) Item {
	if v, ok := v.(*types.AttributeValueMemberM); ok {
		return v.Value
	}
	return nil
}
