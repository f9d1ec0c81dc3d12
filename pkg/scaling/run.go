package scaling

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// ShortFor is how long a borrower must have had no need of a loan before it is given
// back, and the shortest time that a loan lasts unless somebody ends it.
const ShortFor = 3 * Interval

// A target is how a mapping shall stand.
type target struct {
	Concurrency int  `json:"concurrency"`
	Paused      bool `json:"paused,omitempty"`
}

// A record is what the function keeps of a queue: what it has in mind is written down
// before it acts.
type record struct {
	State  State  `json:"state,omitzero"`
	Target target `json:"target"`
	// Since is when the target was set, Why says what for.
	Since time.Time `json:"since"`
	Why   Reason    `json:"why,omitempty"`
	// Late is since when the mapping has not followed, whatever the target was.
	Late time.Time `json:"late_since,omitzero"`
	// Paused tells that the mapping was disabled by the function, which therefore
	// enables it again. What others disable stays so, but for the time in which it is
	// Watched.
	Paused bool `json:"paused,omitempty"`
	// Rest tells that the mapping stands as the plan has it, and that the function
	// has no hand in it.
	Rest bool `json:"rest,omitempty"`
}

// A run is one look at everything.
type run struct {
	*Function
	now      time.Time
	marks    map[string]string
	records  map[string]record
	loans    []Loan // those that last, by age
	seen     map[string]Observation
	next     map[string]record // as decided
	problems []error
}

func (f *Function) begin(marks map[string]string) (*run, error) {
	r := &run{Function: f, now: f.config.Now(), marks: marks, seen: map[string]Observation{}, next: map[string]record{}}
	var err error
	if r.records, err = under[record](marks, queuePrefix); err != nil {
		return nil, err
	}
	loans, err := under[Loan](marks, loanPrefix)
	if err != nil {
		return nil, err
	}
	for _, l := range slices.SortedFunc(maps.Values(loans), earlier) {
		if l.Ended.IsZero() {
			r.loans = append(r.loans, l)
		}
	}
	return r, nil
}

// observe looks at the queues that scale and at those that borrow.
func (r *run) observe(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(r.bounds)) {
		borrows := slices.ContainsFunc(r.loans, func(l Loan) bool { return l.To == name })
		if r.bounds[name].Fixed() && !borrows {
			continue
		}
		o, err := r.look(ctx, name)
		if err != nil { // it stays as it is until it can be seen again
			r.problems = append(r.problems, fmt.Errorf("scaling: queue %q: looking at it: %w", name, err))
			continue
		}
		r.seen[name] = o
	}
}

func (r *run) look(ctx context.Context, name string) (Observation, error) {
	depth, err := r.config.Depths.Depth(ctx, r.config.URLs[name])
	if err != nil {
		return Observation{}, err
	}
	b := r.bounds[name]
	o := Observation{At: r.now, Depth: depth.Visible, Busy: depth.InFlight * b.Plan.Queue.SideBySide() / b.Plan.Queue.BatchSize()}
	if r.config.Age != nil {
		o.Age, err = r.config.Age(ctx, name)
	}
	return o, err
}

// decide works out how each mapping shall stand.
func (r *run) decide() {
	names := slices.Sorted(maps.Keys(r.bounds))
	wants := make([]Want, len(names))
	for i, name := range names {
		b, old := r.bounds[name], r.records[name]
		step := Step{State: old.State, Reason: Off}
		step.State.Concurrency = min(max(step.State.Concurrency, b.Least), b.Most)
		lends := slices.ContainsFunc(r.loans, func(l Loan) bool { return l.From == name })
		if o, ok := r.seen[name]; ok && !lends { // a lender's backlog is meant to grow
			step = b.Next(old.State, o)
		}
		if b.Fixed() {
			step.State = State{}
		}
		r.next[name] = record{State: step.State, Why: step.Reason}
		wants[i] = Want{b, max(step.State.Concurrency, b.Least)}
	}
	for i, given := range Share(r.config.Budget, wants) {
		next := r.next[names[i]]
		if next.State.Concurrency > given {
			next.State.Concurrency = given
		}
		next.Target = target{Concurrency: given}
		r.next[names[i]] = next
	}
	for i := range r.loans {
		r.lend(&r.loans[i])
	}
}

// Reasons of what loans do.
const (
	lends   Reason = "lends"
	paused  Reason = "paused"
	borrows Reason = "borrows"
)

// lend moves concurrency from the lender's target to the borrower's: no more
// invocations than were freed, and no more workers.
func (r *run) lend(l *Loan) {
	from := r.next[l.From]
	l.Freed, l.Gained = l.freed(from.Target.Concurrency), 0
	if l.Freed == from.Target.Concurrency {
		from.Target.Paused, from.Why = true, paused
	} else {
		from.Target.Concurrency -= l.Freed
		from.Why = lends
	}
	r.next[l.From] = from
	if l.To == "" {
		return
	}
	to, b := r.next[l.To], r.bounds[l.To]
	fits := min(l.Freed, r.bounds[l.From].Workers(l.Freed)/b.Workers(1))
	l.Gained = max(min(fits, b.lendable()-to.Target.Concurrency), 0)
	if l.Gained > 0 {
		to.Target.Concurrency += l.Gained
		to.Why = borrows
	}
	r.next[l.To] = to
}

// log tells of a change.
func (r *run) log(ctx context.Context, level slog.Level, message string, args ...any) {
	r.config.Logger.Log(ctx, level, message, args...)
}
