package telemetry

import "strings"

// maxXRay is the longest header that is made: "Root=1-…-…;Parent=…;Sampled=1".
const maxXRay = 5 + 35 + 1 + 7 + 16 + 1 + 9

// xray is a trace header of X-Ray's. Other fields are not handed on: of Lineage, by
// which Lambda counts how often an event came by, a job that leads to another
// sixteen times would look like one that runs in circles, and be stopped.
type xray struct {
	root, span string // lower-case hexadecimal digits, root with its version and dashes
	sampled    byte   // '0', '1' or '?', or 0 where it does not say
}

// parseXRay reads a header, whose fields may be in any order; it has to have a Root,
// and no field of the three that is not by the rules.
func parseXRay(text string) (x xray, ok bool) {
	if len(text) > 1<<10 {
		return xray{}, false
	}
	for field := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.Trim(field, " \t"), "=")
		ok := true
		switch name {
		case "Root":
			x.root = strings.ToLower(value)
			ok = isRoot(x.root)
		case "Parent":
			x.span = strings.ToLower(value)
			ok = len(value) == 16 && isHex(x.span)
		case "Sampled":
			if ok = value == "0" || value == "1" || value == "?"; ok {
				x.sampled = value[0]
			}
		}
		if !ok {
			return xray{}, false
		}
	}
	if x.root == "" {
		return xray{}, false
	}
	return x, true
}

func isRoot(root string) bool {
	return len(root) == 35 && root[0] == '1' && root[1] == '-' && root[10] == '-' && isHex(root[2:10]) && isHex(root[11:])
}

func isHex(text string) bool {
	for i := range len(text) {
		if digit(text[i]) > 15 {
			return false
		}
	}
	return true
}

// id gives the root as 32 digits.
func (x xray) id() string { return x.root[2:10] + x.root[11:] }

// parent gives what W3C's header says in its words.
func (x xray) parent() (p parent, ok bool) {
	if x.root == "" || !unhex(p.trace[:], x.id()) || p.trace == [16]byte{} {
		return parent{}, false
	}
	if x.span != "" {
		unhex(p.span[:], x.span)
	}
	if x.sampled != '0' {
		p.flags = sampled
	}
	return p, true
}

func (x xray) String() string {
	if x.root == "" {
		return ""
	}
	text := "Root=" + x.root
	if x.span != "" {
		text += ";Parent=" + x.span
	}
	if x.sampled != 0 {
		text += ";Sampled=" + string(rune(x.sampled))
	}
	return text
}
