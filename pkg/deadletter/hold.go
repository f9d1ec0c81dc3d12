package deadletter

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// holdings are the letters that a run has in its hands: hidden from everybody
// else until the run ends. It may be used by many goroutines.
type holdings struct {
	sqs  SQS
	url  string
	hold time.Duration
	now  func() time.Time

	mu      sync.Mutex
	letters map[string]*holding // by message id
	// finished are ids of letters that are gone from the queue.
	finished map[string]bool
}

type holding struct {
	receipt string
	until   time.Time
}

func newHoldings(c Config) *holdings {
	return &holdings{sqs: c.SQS, url: c.Address.Letters, hold: c.Hold, now: c.Now, letters: map[string]*holding{}, finished: map[string]bool{}}
}

// take holds a received message. It tells whether it is new: a standard queue may
// hand out twice what is hidden, or deleted.
func (h *holdings) take(in queue.Incoming) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, held := h.letters[in.ID]
	fresh := !held && !h.finished[in.ID]
	h.letters[in.ID] = &holding{receipt: in.Receipt, until: h.now().Add(h.hold)}
	return fresh
}

func (h *holdings) receipt(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.letters[id]; l != nil {
		return l.receipt
	}
	return ""
}

// count tells how many letters are held.
func (h *holdings) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.letters)
}

// done forgets a letter that was deleted.
func (h *holdings) done(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.letters, id)
	h.finished[id] = true
}

// renew prolongs the holds that are half over. One that can't be prolonged, for
// SQS hides nothing longer than 12 hours, ends: its letter comes again and is
// known.
func (h *holdings) renew(ctx context.Context) {
	now := h.now()
	h.mu.Lock()
	var due []string
	for _, l := range h.letters {
		if l.until.Sub(now) < h.hold/2 {
			due = append(due, l.receipt)
			l.until = now.Add(h.hold)
		}
	}
	h.mu.Unlock()
	h.hide(ctx, due, h.hold)
}

// release makes visible what is held, and tells of how many that failed.
func (h *holdings) release(ctx context.Context) (failed int) {
	h.mu.Lock()
	held := slices.Collect(maps.Values(h.letters))
	h.letters = map[string]*holding{}
	h.mu.Unlock()
	receipts := make([]string, len(held))
	for i, l := range held {
		receipts[i] = l.receipt
	}
	return h.hide(ctx, receipts, 0)
}

// hide hides messages for a time, and tells of how many that failed.
func (h *holdings) hide(ctx context.Context, receipts []string, wait time.Duration) int {
	var failed atomic.Int64
	var calls errgroup.Group
	calls.SetLimit(beside)
	for chunk := range slices.Chunk(receipts, queue.MaxEntries) {
		hidden := make([]queue.Hidden, len(chunk))
		for i, receipt := range chunk {
			hidden[i] = queue.Hidden{Receipt: receipt, For: wait}
		}
		calls.Go(func() error {
			for _, err := range h.sqs.Hide(ctx, h.url, hidden) {
				if err != nil {
					failed.Add(1)
				}
			}
			return nil
		})
	}
	_ = calls.Wait() // no call gives an error: failed counts
	return int(failed.Load())
}
