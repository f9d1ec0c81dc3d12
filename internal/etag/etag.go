// Package etag makes the tags by which clients tell whether what they have is still
// what there is, and reads those that they send.
package etag

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Of gives the entity tag of a body: as good as unique, the same for the same bytes.
// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.8.3
func Of(body string) string {
	sum := sha256.Sum256([]byte(body))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// Matches tells whether an If-None-Match header names the tag. The comparison is weak,
// as RFC 9110, section 13.1.2, has it: caches on the way may weaken a tag.
func Matches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}
