package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A line is a queue of SQS's in memory: what is received is invisible for a time,
// and a FIFO queue's groups wait for what is in flight.
type line struct {
	fifo bool

	mu       sync.Mutex
	messages []*lined
	changed  chan struct{}
	receipts int
	// asks are the receives, beyond the hidings that SQS would have refused.
	asks   []queue.Ask
	beyond int
	// hidings counts the calls that hid messages; hideErr fails them.
	hidings int
	hideErr error
	// receiveErr fails receives, by their number from 0.
	receiveErr func(n int) error
}

type lined struct {
	sent
	receipt           string
	receives          int
	visible, received time.Time
}

func newLine(fifo bool) *line { return &line{fifo: fifo, changed: make(chan struct{})} }

func (l *line) put(m sent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, &lined{sent: m, visible: time.Now()})
	l.wake()
}

func (l *line) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *line) Receive(ctx context.Context, _ string, ask queue.Ask) ([]queue.Incoming, error) {
	l.mu.Lock()
	n := len(l.asks)
	l.asks = append(l.asks, ask)
	l.mu.Unlock()
	if l.receiveErr != nil {
		if err := l.receiveErr(n); err != nil {
			return nil, err
		}
	}
	ends := time.Now().Add(ask.Wait)
	for {
		l.mu.Lock()
		found, next, changed := l.take(ask), l.next(ends), l.changed
		l.mu.Unlock()
		if len(found) > 0 || !time.Now().Before(ends) {
			return found, nil
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// next is when something may become visible.
func (l *line) next(ends time.Time) time.Time {
	for _, m := range l.messages {
		if m.visible.After(time.Now()) && m.visible.Before(ends) {
			ends = m.visible
		}
	}
	return ends
}

func (l *line) take(ask queue.Ask) (found []queue.Incoming) {
	now, busy := time.Now(), map[string]bool{}
	for _, m := range l.messages {
		if m.visible.After(now) {
			busy[m.group] = true
		}
	}
	for _, m := range l.messages {
		if m.visible.After(now) || l.fifo && busy[m.group] || len(found) == ask.Most {
			continue
		}
		l.receipts++
		m.receipt = fmt.Sprint("receipt-", l.receipts)
		m.receives++
		m.received, m.visible = now, now.Add(ask.Hide)
		found = append(found, queue.Incoming{ID: m.id, Receipt: m.receipt, Body: m.body, Receives: m.receives, Group: m.group})
	}
	return found
}

func (l *line) Hide(_ context.Context, _ string, messages []queue.Hidden) []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wake()
	l.hidings++
	errs := make([]error, len(messages))
	for i, h := range messages {
		m := l.holding(h.Receipt)
		switch {
		case l.hideErr != nil:
			errs[i] = l.hideErr
		case m == nil:
			errs[i] = errors.New("the receipt is not valid")
		case time.Since(m.received)+h.For > lifecycle.LongestInvisible:
			l.beyond++
			errs[i] = errors.New("beyond the limit of 43200 seconds")
		default:
			m.visible = time.Now().Add(h.For)
		}
	}
	return errs
}

func (l *line) Delete(_ context.Context, _ string, receipts []string) []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wake()
	errs := make([]error, len(receipts))
	for i, receipt := range receipts {
		m := l.holding(receipt)
		if m == nil {
			errs[i] = errors.New("the receipt is not valid")
			continue
		}
		for k := range l.messages {
			if l.messages[k] == m {
				l.messages = append(l.messages[:k:k], l.messages[k+1:]...)
				break
			}
		}
	}
	return errs
}

func (l *line) holding(receipt string) *lined {
	for _, m := range l.messages {
		if m.receipt == receipt {
			return m
		}
	}
	return nil
}

func (l *line) Send(context.Context, string, []queue.Outgoing) []error {
	return []error{errors.New("nothing is to be sent here")}
}

// of gives a job's message as it lies in the line; nil where it was deleted.
func (l *line) of(id job.ID) *lined {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.messages {
		if m.id == "m-"+string(id) {
			copied := *m
			return &copied
		}
	}
	return nil
}

// visibleIn tells in what time a job's message is visible.
func (l *line) visibleIn(id job.ID) time.Duration { return max(time.Until(l.of(id).visible), 0) }
