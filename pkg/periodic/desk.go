package periodic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/schedule"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Desk lists, pauses, resumes and runs the periodic jobs of a table without knowing
// their definitions, which are in the function's program: for operators. What it knows
// is what the function wrote into the jobs' marks, from its first check on. It may be
// used by many goroutines, beside the function.
type Desk struct{ marks }

// NewDesk makes a Desk. now is the clock; nil means time.Now.
func NewDesk(jobs *store.Jobs, now func() time.Time) (*Desk, error) {
	if jobs == nil {
		return nil, errors.New("periodic: a desk needs Jobs: make them with store.New")
	}
	if now == nil {
		now = time.Now
	}
	return &Desk{marks{jobs, now}}, nil
}

// List tells how the jobs stand that functions of this table have declared, by their
// names. Expression and Next are missing where no check has written them yet.
func (d *Desk) List(ctx context.Context) ([]Status, error) {
	found, err := d.jobs.Marks(ctx, markPrefix)
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, key := range slices.Sorted(maps.Keys(found)) {
		name := strings.TrimPrefix(key, markPrefix)
		s, err := decodeState(name, found[key])
		if err != nil {
			return nil, err
		}
		all = append(all, d.status(name, s))
	}
	return all, nil
}

// Get tells how one job stands. ErrUnknown is wrapped where no function has declared it.
func (d *Desk) Get(ctx context.Context, name string) (Status, error) {
	text, err := d.jobs.Mark(ctx, markOf(name))
	if err != nil {
		return Status{}, err
	}
	if text == "" {
		return Status{}, fmt.Errorf("%w: %.80q", ErrUnknown, name)
	}
	s, err := decodeState(name, text)
	return d.status(name, s), err
}

// status reads a mark. The expression in it was sound when it was written.
func (d *Desk) status(name string, s state) Status {
	status := statusOf(name, s)
	end := strings.LastIndexByte(s.Schedule, ')') + 1
	status.Expression, status.Zone = s.Schedule[:end], "UTC"
	if zone := strings.TrimSpace(s.Schedule[end:]); zone != "" {
		status.Zone = zone
	}
	if when, err := schedule.Parse(status.Expression, status.Zone); err == nil && !s.Paused {
		status.Next = next(when, d.now())
	}
	return status
}

// Pause is Periodic.Pause.
func (d *Desk) Pause(ctx context.Context, name string) error {
	return d.edit(ctx, name, func(s *state) { s.pause(d.now()) })
}

// Resume is Periodic.Resume.
func (d *Desk) Resume(ctx context.Context, name string) error {
	return d.edit(ctx, name, func(s *state) { s.resume(d.now()) })
}

// Ask asks for a run beside the occurrences, as Periodic.RunNow makes it. The job is
// enqueued by the function's next check, once; Status.Ran tells then what became of it.
// It gives the time by which the run is known (Run.Asked): that of an earlier one
// where somebody asked for it already and no check has come since.
func (d *Desk) Ask(ctx context.Context, name string) (asked time.Time, err error) {
	err = d.edit(ctx, name, func(s *state) {
		if s.Asked.IsZero() {
			s.Asked = s.later(d.now())
		}
		asked = s.Asked
	})
	return asked, err
}

// edit changes the mark of a job that there is.
func (d *Desk) edit(ctx context.Context, name string, edit func(*state)) error {
	if _, err := d.Get(ctx, name); err != nil {
		return err
	}
	return d.change(ctx, name, func(s *state) error {
		edit(s)
		return nil
	})
}

// A Run is one that was asked for, beside the occurrences.
type Run struct {
	// Asked is when.
	Asked time.Time `json:"asked"`
	// Job is its job; empty where it was refused.
	Job job.ID `json:"job,omitempty"`
	// Joined tells that Job is an earlier one, which was unfinished and whose key
	// it would have had (Overlap).
	Joined bool `json:"joined,omitempty"`
	// Refused is why the producer refuses the job's request.
	Refused string `json:"refused,omitempty"`
}

// runAsked enqueues what somebody asked for. A check that is repeated, since the mark
// could not be moved, finds the job under its id.
func (p *Periodic) runAsked(ctx context.Context, e *entry, s *state) error {
	if s.Asked.IsZero() {
		return nil
	}
	run := Run{Asked: s.Asked}
	name := fmt.Sprintf("periodic %s asked for at %s", e.Name, s.Asked.Format(time.RFC3339Nano))
	options := append(slices.Clone(e.Options), job.WithID(s.idOfNamed(name), name))
	rec, _, err := p.producer.Make(ctx, e.Request(s.Asked.In(e.when.Zone())), options...)
	switch {
	case errors.Is(err, producer.ErrOtherRequest):
		// The id is nobody else's: the job was enqueued before its request became
		// one of another task.
		run.Job = s.idOfNamed(name)
	case refused(err):
		run.Refused = err.Error()
	case err != nil:
		return fmt.Errorf("periodic: job %q, asked for at %s: %w", e.Name, s.Asked.Format(time.RFC3339), err)
	default:
		run.Job, run.Joined = rec.ID, rec.Fingerprint != name
	}
	p.log.InfoContext(ctx, "periodic job that was asked for", "name", e.Name, "asked", s.Asked, "job", run.Job, "joined", run.Joined, "refused", run.Refused)
	s.Asked, s.Ran = time.Time{}, &run
	return nil
}

// next gives the next occurrence, zero where there is none.
func next(when schedule.Schedule, now time.Time) time.Time {
	if period, isRate := when.Every(); isRate {
		now = now.Truncate(period)
	}
	at, _ := when.Next(now)
	return at
}
