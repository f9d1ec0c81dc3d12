package client

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// retryAfter reads a Retry-After header (RFC 9110, section 10.2.3): whole
// seconds, or a date. What can't be read counts as absent, and 0 does not. A date is
// the server's: it is compared with the answer's own Date, and with this machine's
// clock only where there is none.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	value := header.Get("Retry-After")
	if s, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(s, math.MaxInt64/uint64(time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(header.Get("Date")); err == nil {
		now = sent
	}
	return max(at.Sub(now), 0), true
}
