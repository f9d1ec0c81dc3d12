package telemetry

import "encoding/hex"

// parentLength is the length of a traceparent of version 00.
const parentLength = 55

// Flags of a traceparent that are known; others are not handed on.
const (
	sampled = 1
	random  = 2
)

// parent is a traceparent. One without a span is not complete, and not handed on.
type parent struct {
	trace [16]byte
	span  [8]byte
	flags byte
}

// parseParent reads a traceparent, as strictly as
// https://www.w3.org/TR/trace-context/#traceparent-header says: of a version that is not known,
// what is known of it.
func parseParent(text string) (p parent, ok bool) {
	if len(text) < parentLength || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return parent{}, false
	}
	var version, flags [1]byte
	if !unhex(version[:], text[:2]) || !unhex(p.trace[:], text[3:35]) || !unhex(p.span[:], text[36:52]) || !unhex(flags[:], text[53:55]) {
		return parent{}, false
	}
	switch {
	case version[0] == 0xff, version[0] == 0 && len(text) > parentLength:
		return parent{}, false
	case len(text) > parentLength && text[parentLength] != '-':
		return parent{}, false
	case p.trace == [16]byte{}, p.span == [8]byte{}:
		return parent{}, false
	}
	p.flags = flags[0] & (sampled | random)
	return p, true
}

func (p parent) String() string {
	b := make([]byte, 0, parentLength)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, p.trace[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, p.span[:])
	b = append(b, '-')
	return string(hex.AppendEncode(b, []byte{p.flags}))
}

// unhex decodes lower-case digits.
func unhex(to []byte, digits string) bool {
	for i := range to {
		high, low := digit(digits[2*i]), digit(digits[2*i+1])
		if high > 15 || low > 15 {
			return false
		}
		to[i] = high<<4 | low
	}
	return true
}

// digit gives the value of a digit, more than 15 for what is none.
func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}
