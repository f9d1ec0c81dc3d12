package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/store"
)

const (
	// scanSegments is how many parts of the table are read side by side.
	scanSegments = 4
	// scanTries bounds how often a page is asked for that the table refuses for now.
	scanTries = 6
)

// errEnough ends a scan before the end of the table.
var errEnough = errors.New("enough was read")

// A tableScan reads all jobs, in no order.
type tableScan struct {
	page func(context.Context, store.Scan) (store.Scanned, error)
	// pace has the pages of all segments start one after the other.
	pace *pace
	// each gets a page's jobs, one page at a time. errEnough ends the scan.
	each func([]store.Record) error
	// events gets a page's events that wait; nil passes over them.
	events func([]store.Event)
	// batches gets a page's batches; nil passes over them.
	batches func([]store.Batch)
	// unreadable tells of rows that can't be read.
	unreadable func(error)

	mu sync.Mutex
}

// run reads the table to its end, or until each has enough.
func (t *tableScan) run(ctx context.Context) error {
	segments, ctx := errgroup.WithContext(ctx)
	for segment := range scanSegments {
		segments.Go(func() error { return t.segment(ctx, segment) })
	}
	if err := segments.Wait(); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

func (t *tableScan) segment(ctx context.Context, segment int) error {
	where := store.Scan{Segment: segment, Segments: scanSegments}
	for {
		found, err := t.patiently(ctx, where)
		if err := t.deliver(found, err); err != nil {
			return err
		}
		if where.Start = found.Next; where.Start == nil {
			return nil
		}
	}
}

// patiently reads a page when it is its turn, and waits longer each time where the
// table refuses for now.
func (t *tableScan) patiently(ctx context.Context, where store.Scan) (found store.Scanned, err error) {
	for try := range scanTries {
		if try > 0 {
			t.pace.slower()
		}
		if err := t.pace.wait(ctx); err != nil {
			return found, err
		}
		if found, err = t.page(ctx, where); !errors.Is(err, store.ErrThrottled) {
			return found, err
		}
	}
	return found, fmt.Errorf("after %d tries: %w", scanTries, err)
}

func (t *tableScan) deliver(found store.Scanned, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrUnreadable):
		t.unreadable(err)
	case err != nil:
		return err
	}
	if t.events != nil {
		t.events(found.Events)
	}
	if t.batches != nil {
		t.batches(found.Batches)
	}
	return t.each(found.Jobs)
}

// A pace spreads pages over time. It may be used by many goroutines.
type pace struct {
	mu   sync.Mutex
	gap  time.Duration
	next time.Time
}

// newPace lets so many pages start in a second, and scanSegments at once.
func newPace(pagesPerSecond float64) *pace {
	return &pace{gap: time.Duration(float64(time.Second) / pagesPerSecond)}
}

// wait waits for the next page's turn.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	if earliest := now.Add(-p.gap * (scanSegments - 1)); p.next.Before(earliest) {
		p.next = earliest
	}
	turn := p.next
	p.next = turn.Add(p.gap)
	p.mu.Unlock()
	return pauseUntil(ctx, turn)
}

// slower halves the pace from now on.
func (p *pace) slower() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gap = min(2*p.gap, 10*time.Second)
}

// pauseUntil waits for a time, or until the context ends, with its error.
func pauseUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
