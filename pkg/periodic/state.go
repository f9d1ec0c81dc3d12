package periodic

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A state is what the mark of a periodic job says. Times are in UTC.
type state struct {
	// Seed makes the ids of the job's occurrences unguessable: without an
	// authorizer the id is what lets a client ask about a job.
	Seed job.ID `json:"seed"`
	// Last is the latest occurrence that was enqueued or given up.
	Last time.Time `json:"last,omitzero"`
	// Schedule is the expression and the zone, and Since when they have held.
	Schedule string    `json:"schedule,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	// Paused jobs enqueue nothing.
	Paused   bool      `json:"paused,omitempty"`
	PausedAt time.Time `json:"paused_at,omitzero"`
	// Seen is the hour in which a check last declared the job.
	Seen time.Time `json:"seen,omitzero"`
	// Asked is when somebody asked for a run beside the occurrences, which the next
	// check enqueues; Ran is what became of the latest such.
	Asked time.Time `json:"asked,omitzero"`
	Ran   *Run      `json:"ran,omitempty"`
}

// markPrefix begins the names of the marks of periodic jobs.
const markPrefix = "periodic#"

// markOf is the name of a job's mark.
func markOf(name string) string { return markPrefix + name }

// marks are those of a table's periodic jobs.
type marks struct {
	jobs *store.Jobs
	now  func() time.Time
}

// changes are how often a mark that others move as well is read again.
const changes = 10

// change moves a job's mark. edit sees the mark as it is, and says what it is to be;
// it is called again where somebody else has moved the mark meanwhile.
func (m marks) change(ctx context.Context, name string, edit func(*state) error) error {
	for range changes {
		text, s, err := m.load(ctx, name)
		if err != nil {
			return err
		}
		if err := edit(&s); err != nil {
			return err
		}
		changed, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("periodic: job %q: encoding its mark: %w", name, err)
		}
		if string(changed) == text {
			return nil
		}
		if moved, err := m.jobs.SetMark(ctx, markOf(name), text, string(changed)); err != nil || moved {
			return err
		}
	}
	return fmt.Errorf("periodic: job %q: its mark was moved by others %d times", name, changes)
}

// load reads a job's mark, making it where there is none yet: the seed has to be
// there before the first job.
func (m marks) load(ctx context.Context, name string) (text string, s state, err error) {
	for range changes {
		text, err = m.jobs.Mark(ctx, markOf(name))
		if err != nil {
			return "", state{}, err
		}
		if text != "" {
			s, err := decodeState(name, text)
			return text, s, err
		}
		seed, err := m.jobs.NewID()
		if err != nil {
			return "", state{}, err
		}
		first, err := json.Marshal(state{Seed: seed})
		if err != nil {
			return "", state{}, err
		}
		// A lost race: another made the mark, with the seed that holds.
		if _, err := m.jobs.SetMark(ctx, markOf(name), "", string(first)); err != nil {
			return "", state{}, err
		}
	}
	return "", state{}, fmt.Errorf("periodic: job %q: its mark can't be made", name)
}

func decodeState(name, text string) (s state, err error) {
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return state{}, fmt.Errorf("periodic: job %q: reading its mark %.200q: %w", name, text, err)
	}
	return s, nil
}

// pause stops the job, and resume lets it go on: what lay between was not missed.
func (s *state) pause(now time.Time) {
	if !s.Paused {
		s.Paused, s.PausedAt = true, now.UTC()
	}
}

func (s *state) resume(now time.Time) {
	if s.Paused {
		s.Paused, s.PausedAt, s.Since = false, time.Time{}, now.UTC()
	}
}

// later is the time of a run that is asked for now: to the millisecond, and later than
// that of the latest run, whatever the clocks of those who ask say. It tells runs apart.
func (s *state) later(now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if s.Ran != nil && !now.After(s.Ran.Asked) {
		return s.Ran.Asked.Add(time.Millisecond)
	}
	return now
}

// idOf gives the id of an occurrence's job.
func (s state) idOf(name string, at time.Time) job.ID { return s.idOfNamed(occurrenceName(name, at)) }

func (s state) idOfNamed(occurrence string) job.ID {
	sum := sha256.Sum256([]byte(string(s.Seed) + "\n" + occurrence))
	return job.IDOf([16]byte(sum[:16]))
}

// occurrenceName is the fingerprint of an occurrence.
func occurrenceName(name string, at time.Time) string {
	return "periodic " + name + " " + at.UTC().Format(time.RFC3339)
}

// begin notes from when on an expression has held, where it is another one than
// before.
func (s *state) begin(e *entry, at time.Time) (anew bool) {
	if s.Schedule == e.when.String() {
		return false
	}
	s.Schedule, s.Since = e.when.String(), at.UTC()
	return true
}

// handled notes an occurrence.
func (s *state) handled(at time.Time) {
	if at.After(s.Last) {
		s.Last = at.UTC()
	}
}

// done is up to when nothing is missed.
func (s *state) done() time.Time {
	if s.Since.After(s.Last) {
		return s.Since
	}
	return s.Last
}
