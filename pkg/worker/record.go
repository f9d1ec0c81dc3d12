package worker

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A record is what the worker needs of one message of the event.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
type record struct {
	MessageID string
	Receipt   string
	Body      string
	Source    string
	ARN       string
	// Receives and Group are the attributes ApproximateReceiveCount and
	// MessageGroupId.
	Receives, Group string
	// Trace is the attribute AWSTraceHeader, and Attributes the message
	// attributes as JSON, empty where there are none: a message that can't be
	// read takes both along.
	Trace, Attributes string

	// ready is when what an event brought might have begun; zero for jobs.
	ready time.Time
}

// sourceSQS is what SQS calls itself in an event.
const sourceSQS = "aws:sqs"

// There is room for so many records at first as the event's length suggests.
const (
	usualBatch  = 10
	usualRecord = 600 // bytes
)

// An eventReader reads an event token by token: a batch is decoded for every
// invocation, and most of it is not needed. Names that come twice are errors of
// the decoder's.
type eventReader struct {
	records []record
	// room is for how many records to make room at first.
	room int
	// last is the record before, whose queue the next one most likely shares.
	last    *record
	scratch []byte
}

// UnmarshalJSONFrom reads the whole event.
func (e *eventReader) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return e.object(d, func(name []byte) error {
		if string(name) != "Records" {
			return d.SkipValue()
		}
		return e.readRecords(d)
	})
}

func (e *eventReader) readRecords(d *jsontext.Decoder) error {
	if null, err := e.open(d, '['); null || err != nil {
		return err
	}
	e.records, e.last = make([]record, 0, e.room), &record{}
	for d.PeekKind() != ']' {
		e.records = append(e.records, record{})
		r := &e.records[len(e.records)-1]
		if err := e.readRecord(d, r); err != nil {
			return err
		}
		e.last = r
	}
	_, err := d.ReadToken()
	return err
}

func (e *eventReader) readRecord(d *jsontext.Decoder, r *record) error {
	return e.object(d, func(name []byte) error {
		switch string(name) {
		case "messageId":
			return e.text(d, &r.MessageID, "")
		case "receiptHandle":
			return e.text(d, &r.Receipt, "")
		case "body":
			return e.text(d, &r.Body, "")
		case "eventSource":
			return e.text(d, &r.Source, sourceSQS)
		case "eventSourceARN":
			return e.text(d, &r.ARN, e.last.ARN)
		case "attributes":
			return e.readAttributes(d, r)
		case "messageAttributes":
			value, err := d.ReadValue()
			r.Attributes = nonEmpty(value)
			return err
		}
		return d.SkipValue()
	})
}

func (e *eventReader) readAttributes(d *jsontext.Decoder, r *record) error {
	return e.object(d, func(name []byte) error {
		switch string(name) {
		case "ApproximateReceiveCount":
			return e.text(d, &r.Receives, "")
		case "MessageGroupId":
			return e.text(d, &r.Group, e.last.Group)
		case "AWSTraceHeader":
			return e.text(d, &r.Trace, "")
		}
		return d.SkipValue()
	})
}

// nonEmpty gives the JSON of message attributes, where there are any: jobs have
// none.
func nonEmpty(attributes jsontext.Value) string {
	if len(attributes) <= len("{}") || attributes.Kind() != '{' {
		return ""
	}
	return string(attributes)
}

// object hands each member's name to read, which reads the value. An absent
// object (null) has no members.
func (e *eventReader) object(d *jsontext.Decoder, read func(name []byte) error) error {
	if null, err := e.open(d, '{'); null || err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		quoted, err := d.ReadValue()
		if err != nil {
			return err
		}
		name, err := e.unquote(quoted)
		if err != nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// open reads the beginning of an object or an array, or null.
func (e *eventReader) open(d *jsontext.Decoder, kind jsontext.Kind) (null bool, err error) {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind && token.Kind() != 'n' {
		err = fmt.Errorf("a JSON %v where %v was expected", token.Kind(), kind)
	}
	return token.Kind() == 'n', err
}

// text reads a string, or null, which leaves it empty. A string that is the
// likely one is not made anew.
func (e *eventReader) text(d *jsontext.Decoder, into *string, likely string) error {
	value, err := d.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return err
	}
	if value.Kind() != '"' {
		return fmt.Errorf("a JSON %v where a string was expected", value.Kind())
	}
	text, err := e.unquote(value)
	if string(text) == likely {
		*into = likely
	} else {
		*into = string(text)
	}
	return err
}

// unquote gives a JSON string's text, good until the next call.
func (e *eventReader) unquote(quoted jsontext.Value) (text []byte, err error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	e.scratch, err = jsontext.AppendUnquote(e.scratch[:0], []byte(quoted))
	return e.scratch, err
}
