package client

import (
	"sync"
	"time"
)

// A Budget bounds the retries that no server asked for, so that a client does not
// multiply the load of a server that is down. In any time of t minutes with n
// requests there are at most
//
//	Floor × (1 + t) + Share × n
//
// of them: a client that sends a lot repeats no more than the share, and one that
// sends little can always repeat something. It may be used by many goroutines.
type Budget struct {
	share, most float64
	now         func() time.Time

	mu     sync.Mutex
	tokens float64 // retries that may be made
	filled time.Time
}

// NewBudget makes a budget that is full, for all requests of one client. now is the
// clock; nil means time.Now.
func (p RetryPolicy) NewBudget(now func() time.Time) *Budget {
	p = p.withDefaults()
	if now == nil {
		now = time.Now
	}
	most := float64(p.Floor)
	return &Budget{share: p.Share, most: most, now: now, tokens: most, filled: now()}
}

// Sent counts a request, and not its retries: each adds its share of a retry.
func (b *Budget) Sent() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.share)
}

// spend takes one retry, if there is one; no budget has all.
func (b *Budget) spend() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if since := now.Sub(b.filled); since > 0 {
		b.add(b.most * since.Minutes())
		b.filled = now
	}
	// What many small shares add up to may lack a last bit.
	if b.tokens < 1-1e-9 {
		return false
	}
	b.tokens--
	return true
}

func (b *Budget) add(tokens float64) { b.tokens = min(b.tokens+tokens, b.most) }
