package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// dueMark is the name of the mark of the first minute that is not done with.
const dueMark = "checkpoint"

// markLayout orders minutes as text.
const markLayout = "2006-01-02T15:04Z"

// promoteDue hands every job that is due by now + Ahead to its queue, minute by
// minute from the mark on. The mark moves past minutes only that were read to the
// end, promoted, and can't grow any more.
func (s *Sweep) promoteDue(ctx context.Context) error {
	now := s.config.Now().UTC()
	seen, err := s.config.Jobs.Mark(ctx, dueMark)
	if err != nil {
		return unlessOver(ctx, err)
	}
	from := now.Add(-FirstLookBack).Truncate(time.Minute)
	if marked, err := time.Parse(markLayout, seen); err == nil {
		from = marked
	}

	until := now.Add(Ahead)
	settled := now.Add(-Settling)
	done := from
	var problems []error
	var latest time.Duration
	for minute := from; !minute.After(until) && ctx.Err() == nil; minute = minute.Add(time.Minute) {
		late, err := s.promoteMinute(ctx, minute, until)
		latest = max(latest, late)
		problems = append(problems, unlessOver(ctx, err))
		if err == nil && done.Equal(minute) && !minute.Add(time.Minute).After(settled) {
			done = minute.Add(time.Minute)
		}
	}
	s.measure(ctx, telemetry.SweepLag.Took(telemetry.Sweep, latest))
	if done.After(from) {
		problems = append(problems, s.moveDueMark(ctx, seen, done))
	}
	return errors.Join(append(problems, s.promoteCrowds(ctx, now))...)
}

// promoteCrowds begins with the crowded among the minutes to come, the earliest
// first: a million reminders for nine o'clock are more than two runs can promote. Ids
// are spread evenly, so that one shard tells how full a minute is.
func (s *Sweep) promoteCrowds(ctx context.Context, now time.Time) error {
	first := now.Add(Ahead).Truncate(time.Minute)
	until := now.Add(FarAhead)
	for minute := first; !minute.After(until) && ctx.Err() == nil; minute = minute.Add(time.Minute) {
		crowded, err := s.crowded(ctx, minute, until)
		if crowded {
			_, err = s.promoteMinute(ctx, minute, until)
		}
		if err != nil {
			return unlessOver(ctx, err)
		}
	}
	return nil
}

// crowded tells whether the first shard of a minute has Crowd jobs or more.
func (s *Sweep) crowded(ctx context.Context, minute, until time.Time) (bool, error) {
	var start store.Item
	for n := 0; ; {
		due, next, err := s.config.Jobs.Due(ctx, minute, 0, until, start)
		if n += len(due); err != nil || n >= Crowd || next == nil {
			return err == nil && n >= Crowd, err
		}
		start = next
	}
}

// moveDueMark notes what is done with. It is worth a little of the time that is
// kept free at the end.
func (s *Sweep) moveDueMark(ctx context.Context, seen string, done time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopBefore/3)
	defer cancel()
	_, err := s.config.Jobs.SetMark(ctx, dueMark, seen, done.Format(markLayout))
	return err
}

// promoteMinute promotes what is due in one minute, up to until, in every shard. latest is
// how long after its time the latest of it was.
func (s *Sweep) promoteMinute(ctx context.Context, minute, until time.Time) (latest time.Duration, err error) {
	var promoted atomic.Int64
	var lag lateness
	promote := func(due store.DueJob) error {
		ok, err := s.config.Jobs.Promote(ctx, due)
		if ok {
			promoted.Add(1)
			lag.see(s.config.Now().Sub(due.Due))
		}
		if errors.Is(err, store.ErrUnreadable) || errors.Is(err, store.ErrTooLarge) {
			// No later run could do better: the mark does not wait for it.
			s.config.Logger.ErrorContext(ctx, "a due job can't be promoted", "job", due.ID, "error", err.Error())
			return nil
		}
		return err
	}
	var reads, jobs errgroup.Group
	jobs.SetLimit(Parallel)
	each := func(due store.DueJob) { jobs.Go(func() error { return promote(due) }) }
	for shard := 1; shard < store.DueShards; shard++ {
		reads.Go(func() error { return s.eachDue(ctx, minute, shard, until, each) })
	}
	err = reads.Wait()
	// The first shard comes last: by it a later run tells how full the minute still
	// is (see crowded).
	err = errors.Join(err, s.eachDue(ctx, minute, 0, until, each))
	err = errors.Join(err, jobs.Wait())
	if n := promoted.Load(); n > 0 {
		s.config.Logger.InfoContext(ctx, "promoted what is due", "minute", minute.Format(markLayout), "jobs", n)
	}
	if err != nil {
		err = fmt.Errorf("promoting what is due at %s: %w", minute.Format(markLayout), err)
	}
	return lag.latest(), err
}

// eachDue reads a shard of a minute page by page.
func (s *Sweep) eachDue(ctx context.Context, minute time.Time, shard int, until time.Time, each func(store.DueJob)) error {
	var start store.Item
	for {
		due, next, err := s.config.Jobs.Due(ctx, minute, shard, until, start)
		if err != nil {
			return err
		}
		for _, d := range due {
			each(d)
		}
		if next == nil {
			return nil
		}
		start = next
	}
}

// unlessOver drops an error that only says that the time of the run is over: the
// next run goes on.
func unlessOver(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
