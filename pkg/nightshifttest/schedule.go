package nightshifttest

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/periodic"
)

// scheduled is a periodic job and its next occurrence.
type scheduled struct {
	*periodic.Periodic
	name string
	// next is zero where no occurrence will come any more.
	next time.Time
}

// Schedule has periodic jobs enqueue theirs, from now on: each occurrence at its time,
// while Advance or RunAll moves the clock. RunAll does not wait for further occurrences
// when every job has ended.
func (k *Kit) Schedule(jobs ...periodic.Job) *periodic.Periodic {
	k.t.Helper()
	p := made(periodic.New(periodic.Config{Jobs: k.Jobs, Producer: k.Producer, Logger: k.config.Logger, Now: k.Now}, jobs...)).or(k)
	for _, j := range jobs {
		s := &scheduled{Periodic: p, name: j.Name}
		k.schedules = append(k.schedules, s)
		k.plan(context.Background(), s)
	}
	return p
}

// plan finds the next occurrence.
func (k *Kit) plan(ctx context.Context, s *scheduled) {
	k.t.Helper()
	all, err := s.List(ctx)
	if err != nil {
		k.t.Fatalf("nightshifttest: listing schedules: %v", err)
	}
	for _, status := range all {
		if status.Name == s.name {
			s.next = status.Next
		}
	}
}

// occur fires the schedules that are due.
func (k *Kit) occur(ctx context.Context) (worked bool) {
	k.t.Helper()
	now := k.Now()
	for _, s := range k.schedules {
		if s.next.IsZero() {
			k.plan(ctx, s) // it may have been paused
		}
		if s.next.IsZero() || s.next.After(now) {
			continue
		}
		if err := s.Occur(ctx, s.name, s.next); err != nil {
			k.t.Fatalf("nightshifttest: the schedule of %q at %s: %v", s.name, s.next.Format(time.RFC3339), err)
		}
		k.plan(ctx, s)
		worked = true
	}
	return worked
}
