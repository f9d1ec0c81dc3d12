package telemetry

import "strings"

// Limits of a tracestate, see https://www.w3.org/TR/trace-context/#tracestate-limits.
const (
	// maxState is what has to be handed on at least, and is here at most.
	maxState = 512
	// maxMembers is how many members it may have.
	maxMembers = 32
	// longMember is the length over which members are left out first.
	longMember = 128
)

// parseState reads a tracestate and gives it without blanks and empty members, cut to
// maxState; "" for one that is not by the rules, or has a key twice.
func parseState(text string) string {
	if len(text) > 1<<13 {
		return ""
	}
	var members []string
	for member := range strings.SplitSeq(text, ",") {
		if member = strings.Trim(member, " \t"); member == "" {
			continue
		}
		if !validMember(member) || twice(members, member) || len(members) == maxMembers {
			return ""
		}
		members = append(members, member)
	}
	return strings.Join(shortened(members), ",")
}

// shortened leaves out what is too much: the last of the long members first, and then the
// last, which are the oldest.
func shortened(members []string) []string {
	length := len(members) - 1
	for _, m := range members {
		length += len(m)
	}
	for over := longMember; over >= 0; over -= longMember {
		for i := len(members) - 1; i >= 0 && length > maxState; i-- {
			if len(members[i]) > over {
				length -= len(members[i]) + 1
				members = append(members[:i], members[i+1:]...)
			}
		}
	}
	return members
}

func twice(members []string, member string) bool {
	key := member[:strings.IndexByte(member, '=')+1]
	for _, m := range members {
		if strings.HasPrefix(m, key) {
			return true
		}
	}
	return false
}

// validMember reports whether a member is by the grammar: a key, which begins with a
// letter or a digit, and a value.
func validMember(member string) bool {
	key, value, ok := strings.Cut(member, "=")
	if !ok || len(key) == 0 || len(key) > 256 || len(value) == 0 || len(value) > 256 {
		return false
	}
	for i := range len(key) {
		c := key[i]
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("_-*/@", c) < 0) {
			return false
		}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == ',' || c == '=' {
			return false
		}
	}
	return true
}
