package store

import (
	"context"
	"errors"
	"fmt"
)

// A Scanned is what a page of the table holds.
type Scanned struct {
	Jobs  []Record
	Locks []Lock
	// Events are those that wait to be published.
	Events []Event
	// Batches are as their own rows have them: those that have not ended lack what
	// their shards count (see Batch).
	Batches []Batch
	// Counters are shards of counts.
	Counters []Counter
	// Rows counts the rows of every kind that were read.
	Rows int
	// Next continues; nil at the end.
	Next Item
}

// ScanPage reads a page of a segment of the table. An error that is ErrUnreadable
// names rows of this page that make no sense; the others are there all the same.
func (j *Jobs) ScanPage(ctx context.Context, s Scan) (Scanned, error) {
	page, err := j.driver.Scan(ctx, s)
	if err != nil {
		return Scanned{}, fmt.Errorf("store: scanning segment %d of %d: %w", s.Segment, s.Segments, err)
	}
	found := Scanned{Next: page.Next, Rows: len(page.Items)}
	var unreadable []error
	for _, item := range page.Items {
		if err := found.add(item); err != nil {
			unreadable = append(unreadable, err)
		}
	}
	return found, errors.Join(unreadable...)
}

// add sorts a row; rows of other kinds are passed over.
func (s *Scanned) add(item Item) error {
	if str(item[SortKey]) == str(lockSort) {
		lock, err := lockIn(item)
		if err != nil {
			return err
		}
		s.Locks = append(s.Locks, *lock)
		return nil
	}
	if str(item[SortKey]) == str(batchSort) {
		b, err := batchOf(item)
		if err == nil {
			s.Batches = append(s.Batches, b)
		}
		return err
	}
	if isCounter(item) {
		c, err := counterIn(item)
		if err == nil {
			s.Counters = append(s.Counters, c)
		}
		return err
	}
	if isEvent(item) {
		e, err := DecodeEvent(item)
		if err == nil && e.Publication != nil {
			s.Events = append(s.Events, e)
		}
		return err
	}
	rec, err := Decode(item)
	if errors.Is(err, ErrNotAJob) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Jobs = append(s.Jobs, rec)
	return nil
}
