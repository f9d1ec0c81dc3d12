package periodic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Occur enqueues the job of the occurrence that a schedule's event names, and
// catches up what was missed before it. An occurrence that was handled already, or
// is older than Within, is none any more. ErrUnknown is wrapped where there is no
// such job. A request that the producer refuses is an error here, and given up
// when it is met again as a missed occurrence.
func (p *Periodic) Occur(ctx context.Context, name string, at time.Time) error {
	e, err := p.find(name)
	if err != nil {
		return err
	}
	defer telemetry.Flush(ctx, p.metrics)
	now := p.now()
	if at.After(now.Add(Ahead)) {
		return fmt.Errorf("periodic: job %q: the event's time %s has not come: check this machine's clock", name, at.Format(time.RFC3339))
	}
	occurrence, own := e.occurrence(at)
	if at.Before(now.Add(-e.Within)) {
		p.log.WarnContext(ctx, "periodic job given up: the event is too old", "name", name, "occurrence", occurrence)
		p.missed(ctx, 1)
		return nil
	}
	return p.change(ctx, name, func(s *state) error {
		switch {
		case !occurrence.After(s.Last):
			p.log.InfoContext(ctx, "periodic job's event dropped: its occurrence, or a later one, is handled", "name", name, "occurrence", occurrence)
			return nil
		case s.Paused:
			p.log.InfoContext(ctx, "periodic job is paused", "name", name, "occurrence", occurrence)
			s.handled(occurrence)
			return nil
		}
		if own && !s.begin(e, occurrence) {
			if err := p.catchUp(ctx, e, s, occurrence); err != nil {
				return err
			}
		}
		if err := p.enqueue(ctx, e, *s, occurrence, false); err != nil {
			return err
		}
		s.handled(occurrence)
		return nil
	})
}

// Check catches up what was missed by all jobs: occurrences whose event did not
// come within Grace. It enqueues what a Desk was asked for, and goes on to the next
// job where one fails.
func (p *Periodic) Check(ctx context.Context) error {
	defer telemetry.Flush(ctx, p.metrics)
	var errs []error
	for _, e := range p.entries {
		errs = append(errs, p.change(ctx, e.Name, func(s *state) error {
			now := p.now()
			s.Seen = now.UTC().Truncate(time.Hour)
			if err := p.runAsked(ctx, e, s); err != nil {
				return err
			}
			if s.begin(e, now) || s.Paused || e.CatchUp == Skip {
				return nil
			}
			return p.catchUp(ctx, e, s, now.Add(-p.grace))
		}))
	}
	return errors.Join(errs...)
}

// catchUp treats what was missed before a time as the job's policy says.
func (p *Periodic) catchUp(ctx context.Context, e *entry, s *state, before time.Time) error {
	after := s.done()
	if oldest := p.now().Add(-e.Within); after.Before(oldest) {
		after = oldest
	}
	missed := e.between(after, before)
	if len(missed) == 0 {
		return nil
	}
	chosen := e.chosen(missed)
	if given := len(missed) - len(chosen); given > 0 {
		p.log.WarnContext(ctx, "periodic job missed occurrences, which are given up", "name", e.Name, "count", given, "first", missed[0], "last", missed[given-1])
	}
	for _, at := range chosen {
		err := p.enqueue(ctx, e, *s, at, true)
		if refused(err) {
			// It would be so for ever, and hold up everything after it.
			p.log.ErrorContext(ctx, "periodic job's missed occurrence given up: it can't be enqueued", "name", e.Name, "occurrence", at, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	s.handled(missed[len(missed)-1])
	p.missed(ctx, len(missed))
	return nil
}

// missed counts occurrences that were missed, caught up or not. Two schedulers at once may
// count the same.
func (p *Periodic) missed(ctx context.Context, n int) {
	telemetry.Record(ctx, p.metrics, telemetry.OccurrenceMissed.Times(telemetry.Schedules, n))
}

// refused tells whether an error is the request's own fault.
func refused(err error) bool {
	for _, fault := range []error{producer.ErrUnknownTask, producer.ErrArguments, producer.ErrTooLarge, producer.ErrOptions} {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}
