package s3

import (
	"net/http"
	"strings"
	"time"
)

// conditions are those of a conditional request; see
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html.
type conditions struct {
	match, noneMatch     string // ETags as in the header, "" for none
	modified, unmodified time.Time
}

// conditionsOf reads conditions from headers that begin with a prefix: "" or
// "X-Amz-Copy-Source-".
func conditionsOf(h http.Header, prefix string) conditions {
	when := func(name string) time.Time {
		t, err := http.ParseTime(h.Get(prefix + name))
		if err != nil {
			return time.Time{} // an unreadable date is no condition (RFC 9110, 13.1.3)
		}
		return t
	}
	return conditions{
		match: h.Get(prefix + "If-Match"), noneMatch: h.Get(prefix + "If-None-Match"),
		modified: when("If-Modified-Since"), unmodified: when("If-Unmodified-Since"),
	}
}

func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || strings.Trim(candidate, `"`) == etag {
			return true
		}
	}
	return false
}

// forRead holds the conditions of a GET or HEAD against the object.
func (c conditions) forRead(o *object) error {
	modified := o.modified().Truncate(time.Second)
	switch {
	case c.match != "" && !matches(c.match, o.ETag):
		return preconditionFailed("If-Match")
	case c.match == "" && !c.unmodified.IsZero() && modified.After(c.unmodified):
		return preconditionFailed("If-Unmodified-Since")
	case c.noneMatch != "" && matches(c.noneMatch, o.ETag),
		c.noneMatch == "" && !c.modified.IsZero() && !modified.After(c.modified):
		return refuse(http.StatusNotModified, "NotModified", "Not Modified")
	}
	return nil
}

// forCopy holds the conditions of a copy against its source: nothing is "not
// modified" there.
func (c conditions) forCopy(o *object) error {
	err := c.forRead(o)
	if e, ok := err.(*Error); ok && e.Status == http.StatusNotModified {
		return preconditionFailed("x-amz-copy-source-If-None-Match")
	}
	return err
}

// forWrite holds the conditions of a write against what is there, nil for
// nothing. S3 knows If-None-Match: * and If-Match with an ETag; see
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html.
func (c conditions) forWrite(before *object) error {
	switch {
	case c.noneMatch != "" && c.noneMatch != "*":
		return notImplemented("If-None-Match takes * only")
	case c.noneMatch != "" && before != nil:
		return preconditionFailed("If-None-Match")
	case c.match != "" && before == nil:
		return noSuchKey()
	case c.match != "" && !matches(c.match, before.ETag):
		return preconditionFailed("If-Match")
	}
	return nil
}
