package scheduler

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A state is how far a schedule is.
type state struct {
	// Schedule is what the schedule was when it began: another one begins anew.
	Schedule string `json:"schedule"`
	// Start is where it began; a rate keeps step with it.
	Start time.Time `json:"start"`
	// Last is the latest occurrence that was handed over or passed over.
	Last time.Time `json:"last,omitzero"`
	// Pending are occurrences that were handed over and have not come to their
	// end.
	Pending []time.Time `json:"pending,omitempty"`
}

// load reads the state, or makes the one of a schedule that begins now.
func (s *Schedule) load() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := s.config.States.Load(Kind, s.config.Name)
	if err != nil {
		return fmt.Errorf("reading how far it is: %w", err)
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &s.state); err != nil {
			return fmt.Errorf("reading how far it is: %w", err)
		}
	}
	if s.state.Schedule == s.describe() {
		return nil
	}
	now := s.config.Now().UTC()
	if !s.config.Made.IsZero() {
		now = s.config.Made.UTC()
	}
	s.state = state{Schedule: s.describe(), Start: now}
	if _, isRate := s.when.Every(); isRate {
		s.state.Start = now.Truncate(time.Second) // as precise as an event tells
	}
	if start := s.config.Start.UTC(); !s.config.Start.IsZero() {
		s.state.Start = start
		if start.Before(now) {
			s.state.Last = now.Add(-time.Nanosecond)
		}
	}
	return s.save()
}

// describe is what must stay the same for the schedule to go on as it was.
func (s *Schedule) describe() string {
	text := s.when.String()
	for _, bound := range []time.Time{s.config.Start, s.config.End} {
		text += " " + bound.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// save writes the state. The caller holds the mutex, or is alone.
func (s *Schedule) save() error {
	encoded, err := json.Marshal(s.state)
	if err == nil {
		err = s.config.States.Save(Kind, s.config.Name, string(encoded))
	}
	if err != nil {
		return fmt.Errorf("writing down how far it is: %w", err)
	}
	return nil
}

// next gives the first occurrence after a time; ok is false where there is none.
func (s *Schedule) next(after time.Time) (at time.Time, ok bool) {
	if after.IsZero() {
		after = s.state.Start.Add(-time.Nanosecond)
	}
	at, ok = s.when.From(s.state.Start).Next(after)
	if ok && !s.when.Once() && !s.config.End.IsZero() && !at.Before(s.config.End) {
		return time.Time{}, false
	}
	return at, ok
}

// Next gives the next occurrence; ok is false where none will come, or the schedule has
// not begun to run.
func (s *Schedule) Next() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Schedule == "" {
		return time.Time{}, false
	}
	return s.next(s.state.Last)
}

// begin notes that an occurrence is about to be handed over.
func (s *Schedule) begin(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Last = at.UTC()
	s.state.Pending = append(s.state.Pending, at.UTC())
	return s.save()
}

// pass notes that an occurrence is passed over.
func (s *Schedule) pass(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Last = at.UTC()
	return s.save()
}

// conclude notes that an occurrence has come to its end.
func (s *Schedule) conclude(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Pending = slices.DeleteFunc(s.state.Pending, at.Equal)
	if err := s.save(); err != nil {
		s.log("the occurrence of %s will be repeated: %v", stamp(at), err)
	}
}
