package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxTrace is the most that Trace.String gives, in bytes.
const MaxTrace = parentLength + 1 + maxXRay + 1 + maxState

// A Trace is the trace context that a request came with, W3C's
// (https://www.w3.org/TR/trace-context/) and X-Ray's
// (https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader)
// beside each other: a proxy of AWS's adds the second to a request that has the first. The
// zero value is none. It is a value: compare it, copy it.
type Trace struct {
	parent parent
	state  string
	xray   xray
}

// FromHeaders reads a trace from the headers traceparent, tracestate and X-Amzn-Trace-Id.
// header gives the value of a header by its name, "" without one; values of a header
// that came several times are joined by commas. What is not by its rules is
// dropped, as the standard wants it.
func FromHeaders(header func(name string) string) Trace {
	var t Trace
	t.xray, _ = parseXRay(header("X-Amzn-Trace-Id"))
	var ok bool
	if t.parent, ok = parseParent(strings.Trim(header("traceparent"), " \t")); ok {
		t.state = parseState(header("tracestate"))
	}
	return t
}

// ParseTrace reads what String gave: what a job's row and its message carry. Any of the two
// headers alone (traceparent, X-Amzn-Trace-Id) is one as well. false means that there is
// no trace in it, or that it is not by the rules.
func ParseTrace(text string) (Trace, bool) {
	var t Trace
	var ok bool
	first, rest, _ := strings.Cut(text, " ")
	if t.parent, ok = parseParent(first); !ok {
		t.xray, ok = parseXRay(text)
		return t, ok
	}
	first, _, _ = strings.Cut(rest, " ")
	if t.xray, ok = parseXRay(first); ok {
		rest = strings.TrimPrefix(rest[len(first):], " ")
	}
	t.state = parseState(rest)
	return t, true
}

// NewTrace is the trace of something that came with none: its id follows from a seed, so
// that all attempts of a job are one trace. The seed can't be told from it.
func NewTrace(seed string) Trace {
	sum := sha256.Sum256([]byte(seed))
	t := Trace{parent: parent{flags: sampled}}
	copy(t.parent.trace[:], sum[:])
	t.parent.trace[0] |= 1 // never zero
	return t
}

// Of gives the trace of a span: that of a tracer's, with W3C's ids, its flags and its
// tracestate. X-Ray's part stays as it is.
func (t Trace) Of(traceID [16]byte, spanID [8]byte, flags byte, state string) Trace {
	t.parent = parent{trace: traceID, span: spanID, flags: flags & (sampled | random)}
	t.state = parseState(state)
	return t
}

// IsZero reports whether there is no trace.
func (t Trace) IsZero() bool { return t == Trace{} }

// ID is the trace's id for people and logs, 32 hexadecimal digits: W3C's, or else
// X-Ray's without its dashes; "" without a trace.
func (t Trace) ID() string {
	switch {
	case t.parent.trace != [16]byte{}:
		return hex.EncodeToString(t.parent.trace[:])
	case t.xray.root != "":
		return t.xray.id()
	}
	return ""
}

// Traceparent is the header of that name; "" if the trace has none.
func (t Trace) Traceparent() string {
	if t.parent.span == [8]byte{} {
		return ""
	}
	return t.parent.String()
}

// Tracestate is the header of that name; "" if there is nothing to say in it.
func (t Trace) Tracestate() string { return t.state }

// XRay is the header X-Amzn-Trace-Id; "" if the trace has none.
func (t Trace) XRay() string { return t.xray.String() }

// AWSTraceHeader is what SQS takes as the message attribute of that name: X-Ray's header, or
// else W3C's ids in its form, in which X-Ray takes them too; "" without a trace.
func (t Trace) AWSTraceHeader() string {
	if header := t.XRay(); header != "" || t.Traceparent() == "" {
		return header
	}
	id := t.ID()
	x := xray{root: "1-" + id[:8] + "-" + id[8:], span: hex.EncodeToString(t.parent.span[:]), sampled: '0' + t.parent.flags&sampled}
	return x.String()
}

// SpanContext gives the ids that a span's parent has. One that came without a span's id (an
// X-Ray header that has only Root, NewTrace) has one that follows from the trace's; it
// counts as sampled, unless it says otherwise. ok is false without a trace.
func (t Trace) SpanContext() (traceID [16]byte, spanID [8]byte, flags byte, ok bool) {
	p := t.parent
	if p.trace == [16]byte{} {
		if p, ok = t.xray.parent(); !ok {
			return
		}
	}
	if p.span == [8]byte{} {
		sum := sha256.Sum256(p.trace[:])
		copy(p.span[:], sum[:])
		p.span[0] |= 1
	}
	return p.trace, p.span, p.flags, true
}

// String is the form in which rows and messages carry the trace: traceparent, X-Ray's
// header and tracestate, as far as there are, with a space between them; at most MaxTrace
// bytes of ASCII.
func (t Trace) String() string {
	parts := make([]string, 0, 3)
	for _, part := range []string{t.Traceparent(), t.XRay(), t.state} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// SetHeaders hands the trace on: set is called with each header of it, for a
// request that a handler makes.
func (t Trace) SetHeaders(set func(name, value string)) {
	for name, value := range map[string]string{"traceparent": t.Traceparent(), "tracestate": t.state, "X-Amzn-Trace-Id": t.XRay()} {
		if value != "" {
			set(name, value)
		}
	}
}

// Carried is what a job or an event that is made with a context carries on: the trace that was
// given to it, where that is one, and else the context's.
func Carried(ctx context.Context, given string) string {
	if given != "" {
		t, _ := ParseTrace(given)
		return t.String()
	}
	return TraceFrom(ctx).String()
}
