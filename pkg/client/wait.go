package client

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// retryAfter reads a Retry-After header (RFC 9110, section 10.2.3): whole
// seconds, or a date. What can't be read counts as absent, and 0 does not.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	value := header.Get("Retry-After")
	if s, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(s, math.MaxInt64/uint64(time.Second))) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// pause is how long to wait after the attempt has failed.
func (c *Client) pause(attempt int, prescribed time.Duration, asked bool) time.Duration {
	if asked && prescribed == 0 {
		return 0
	}
	return max(c.config.Backoff.After(attempt, c.config.Random), prescribed)
}

// A budget bounds the retries that nobody asked for.
type budget struct {
	mu          sync.Mutex
	tenths, max int
}

func newBudget(retries int) *budget { return &budget{tenths: 10 * retries, max: 10 * retries} }

// spend takes one retry out of the budget, if there is one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tenths < 10 {
		return false
	}
	b.tenths -= 10
	return true
}

// earn adds a tenth of a retry for a call that succeeded.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tenths = min(b.tenths+1, b.max)
}
