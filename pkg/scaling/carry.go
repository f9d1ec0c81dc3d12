package scaling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/mapping"
)

const (
	// Overdue is how long a mapping may fail to follow before that is an error.
	Overdue = 10 * time.Minute
	// Watched is how long a mapping that is as the plan has it is still looked at: a
	// change whose answer was lost may take effect late.
	Watched = time.Hour
)

// carryOut brings the mappings to where they shall be: first those that give something
// up, then those that gain by it. Where the first can't be had now, the others wait;
// but nobody waits for what the plan gives it.
func (r *run) carryOut(ctx context.Context) (problems []error) {
	names := slices.Sorted(maps.Keys(r.next))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.gain(a), r.gain(b)) })
	outstanding := false
	for _, name := range names {
		if outstanding && r.gain(name) > 0 {
			r.log(ctx, slog.LevelInfo, "a queue waits for others to give up what it gains", "queue", name)
			continue
		}
		done, err := r.move(ctx, name)
		outstanding = outstanding || !done && !errors.Is(err, mapping.ErrGone) // which has no workers
		if err != nil {
			problems = append(problems, fmt.Errorf("scaling: queue %q: %w", name, err))
		}
	}
	return problems
}

// gain is by how much a queue shall have more than it has, as far as that is more than
// its plan gives it: others may have to make room for that first.
func (r *run) gain(name string) int {
	next := r.next[name].Target
	if next.Paused {
		return 0
	}
	has := r.bounds[name].Least
	if old, kept := r.records[name]; kept && !old.Rest && !old.Target.Paused {
		has = max(has, old.Target.Concurrency)
	}
	return max(next.Concurrency-has, 0)
}

// move brings one mapping to its target. It tells whether Lambda has taken note of
// it.
func (r *run) move(ctx context.Context, name string) (done bool, err error) {
	old, next := r.records[name], r.next[name]
	plan := target{Concurrency: r.bounds[name].Least}
	_, kept := r.marks[queuePrefix+name]
	if next.Target == plan && (!kept || old.Rest) {
		return true, nil // the function has no hand in it
	}
	next.Since, next.Late, next.Paused = r.now, old.Late, old.Paused || next.Target.Paused
	if kept && old.Target == next.Target {
		next.Since, next.Why = old.Since, old.Why
	}
	// What is about to be done is written down first: whoever comes after a crash
	// knows what to undo.
	if !r.keep(ctx, queuePrefix+name, next) {
		return false, nil // another run is at it
	}
	done, err = r.follow(ctx, name, &next, plan)
	if done {
		next.Late = time.Time{}
	}
	r.keep(ctx, queuePrefix+name, next)
	return done, err
}

// follow compares a mapping with its record, and changes what differs; what it learns is
// for the record.
func (r *run) follow(ctx context.Context, name string, want *record, plan target) (done bool, err error) {
	uuid := r.config.Mappings[name]
	is, err := r.config.Lambda.Get(ctx, uuid)
	if err != nil {
		return false, r.overdue(ctx, name, want, err)
	}
	var c mapping.Change
	if enabled := !want.Target.Paused; want.Paused && is.Enabled != enabled {
		c.Enabled = &enabled
	}
	if !want.Target.Paused && is.Concurrency != want.Target.Concurrency {
		c.Concurrency = want.Target.Concurrency
	}
	if c == (mapping.Change{}) {
		if is.Settled && want.Target == plan && r.now.Sub(want.Since) >= Watched {
			want.Paused, want.Rest = false, true
		}
		return true, nil
	}
	if !is.Settled {
		return false, r.overdue(ctx, name, want, fmt.Errorf("%w: it is %s", mapping.ErrBusy, is.Name))
	}
	if err := r.config.Lambda.Set(ctx, uuid, c); err != nil {
		return false, r.overdue(ctx, name, want, err)
	}
	r.log(ctx, slog.LevelInfo, "a queue's mapping is changed", "queue", name, "why", want.Why,
		"concurrency", want.Target.Concurrency, "paused", want.Target.Paused, "before", is.Concurrency, "was", is.Name)
	return true, nil
}

// overdue passes over that Lambda is busy, unless it has been for long.
func (r *run) overdue(ctx context.Context, name string, want *record, err error) error {
	if want.Late.IsZero() {
		want.Late = r.now
	}
	if late := r.now.Sub(want.Late); !errors.Is(err, mapping.ErrBusy) || late >= Overdue {
		return fmt.Errorf("its mapping does not follow since %v: %w", late, err)
	}
	r.log(ctx, slog.LevelInfo, "a queue's mapping can't be changed now, and will be at the next run", "queue", name, "error", err.Error())
	return nil
}
