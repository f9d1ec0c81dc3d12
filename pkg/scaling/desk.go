package scaling

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// LongestLoan is the longest time that workers are lent for: no queue is paused for
// ever, and no message outlives its queue's retention of four days.
const LongestLoan = 72 * time.Hour

// Errors of a Desk; those that a request wraps say more.
var (
	// ErrUnknown means that the function moves no such queue.
	ErrUnknown = errors.New("scaling: there is no such queue")
	// ErrRefused means that a loan makes no sense.
	ErrRefused = errors.New("scaling: it can't be lent")
	// ErrNone means that nothing of the queue is lent.
	ErrNone = errors.New("scaling: nothing of it is lent")
	// ErrRace means that somebody else changed the same loan just then.
	ErrRace = errors.New("scaling: somebody else has just changed it")
)

// A Known is what the function knows of a queue.
type Known struct {
	// Least and Most bound its concurrency, and SideBySide is how many jobs each
	// invocation works on at once.
	Least      int `json:"least"`
	Most       int `json:"most"`
	SideBySide int `json:"side_by_side"`
	// Polled tells that processes of its own poll it: it has no mapping.
	Polled bool `json:"polled,omitempty"`
}

// A Desk lends workers and takes them back, for operators. It writes rows of the jobs
// table and no more: the function carries them out at its next run, within a minute.
// It may be used by many goroutines, beside the function.
type Desk struct {
	jobs *store.Jobs
	now  func() time.Time
}

// NewDesk makes a Desk. now is the clock; nil means time.Now.
func NewDesk(jobs *store.Jobs, now func() time.Time) (*Desk, error) {
	if jobs == nil {
		return nil, errors.New("scaling: a desk needs Jobs: make them with store.New")
	}
	if now == nil {
		now = time.Now
	}
	return &Desk{jobs, now}, nil
}

// Queues gives the queues that the function moves, by their names; none where it has
// not run yet.
func (d *Desk) Queues(ctx context.Context) (map[string]Known, error) {
	text, err := d.jobs.Mark(ctx, knownMark)
	if err != nil || text == "" {
		return nil, err
	}
	return decode[map[string]Known](knownMark, text)
}

// Loans gives all loans, running and ended, by the time at which they were asked for.
func (d *Desk) Loans(ctx context.Context) ([]Loan, error) {
	marks, err := d.jobs.Marks(ctx, loanPrefix)
	if err != nil {
		return nil, err
	}
	loans, err := under[Loan](marks, loanPrefix)
	return slices.SortedFunc(maps.Values(loans), earlier), err
}

// earlier orders loans.
func earlier(a, b Loan) int {
	if order := a.Asked.Compare(b.Asked); order != 0 {
		return order
	}
	return strings.Compare(a.From, b.From)
}

// Lend asks for a loan from one queue to another, or for a pause where to is "". A
// share of zero means all. It wraps ErrUnknown and ErrRefused.
func (d *Desk) Lend(ctx context.Context, from, to string, share float64, lasts time.Duration) (Loan, error) {
	now := d.now()
	if share == 0 {
		share = 1
	}
	loan := Loan{From: from, To: to, Share: share, Asked: now, Until: now.Add(lasts)}
	known, err := d.Queues(ctx)
	if err != nil {
		return loan, err
	}
	marks, err := d.jobs.Marks(ctx, loanPrefix)
	if err != nil {
		return loan, err
	}
	others, err := under[Loan](marks, loanPrefix)
	if err != nil {
		return loan, err
	}
	if err := loan.check(known, slices.SortedFunc(maps.Values(others), earlier), now); err != nil {
		return loan, err
	}
	return loan, d.move(ctx, marks[loanPrefix+from], loan)
}

// Return asks for what a queue lent, or lets it go on after a pause. It wraps ErrNone
// where nothing is lent.
func (d *Desk) Return(ctx context.Context, from string) (Loan, error) {
	name := loanPrefix + from
	text, err := d.jobs.Mark(ctx, name)
	if err != nil {
		return Loan{}, err
	}
	if text == "" {
		return Loan{}, fmt.Errorf("%w: %.80q", ErrNone, from)
	}
	loan, err := decode[Loan](name, text)
	if err != nil {
		return loan, err
	}
	if loan.Over(d.now()) {
		return loan, fmt.Errorf("%w: %.80q", ErrNone, from)
	}
	loan.Returned = true
	return loan, d.move(ctx, text, loan)
}

func (d *Desk) move(ctx context.Context, before string, loan Loan) error {
	text, err := encode(loan)
	if err != nil {
		return err
	}
	moved, err := d.jobs.SetMark(ctx, loanPrefix+loan.From, before, text)
	if err == nil && !moved {
		return fmt.Errorf("%w: look with --list, and ask again", ErrRace)
	}
	return err
}

// check says why a loan makes no sense beside the others, or nil.
func (l Loan) check(known map[string]Known, others []Loan, now time.Time) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
	}
	if len(known) == 0 {
		return refuse("the function that moves workers has not run yet; it runs each minute (a stack without one has none to lend)")
	}
	for _, name := range []string{l.From, l.To} {
		q, ok := known[name]
		switch {
		case name == "" && l.From != "":
		case !ok:
			return fmt.Errorf("%w: %.80q: use one of %s", ErrUnknown, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case q.Polled:
			return refuse("processes of its own poll the queue %s, which has no mapping: scale their service instead", name)
		}
	}
	switch lasts := l.Until.Sub(l.Asked); {
	case l.From == l.To:
		return refuse("a queue has nothing to gain from itself: %s", l.From)
	case lasts <= 0 || lasts > LongestLoan:
		return refuse("for %v: lend for more than nothing and at most %v", lasts, LongestLoan)
	case !(l.Share > 0 && l.Share <= 1):
		return refuse("a share of %v: give a part of 1", l.Share)
	case l.freed(known[l.From].Least) == 0:
		return refuse("%s has a concurrency of %d, and Lambda takes no less than %d: lend all of it, which pauses it", l.From, known[l.From].Least, sizing.LeastConcurrency)
	}
	return l.beside(others, now, refuse)
}

// beside says why a loan can't be beside the others: what a queue borrowed it does not
// lend, so that loans never run in a circle.
func (l Loan) beside(others []Loan, now time.Time, refuse func(string, ...any) error) error {
	for _, o := range others {
		switch {
		case o.Over(now):
		case o.From == l.From && o.To == "":
			return refuse("%s is paused until %s: resume it first", l.From, o.Until.UTC().Format(time.RFC3339))
		case o.From == l.From:
			return refuse("%s lends to %s until %s: ask for it back first", l.From, o.To, o.Until.UTC().Format(time.RFC3339))
		case o.To == l.From:
			return refuse("%s borrows from %s: loans would run in a circle", l.From, o.From)
		case o.From == l.To:
			return refuse("%s lends itself, or is paused: it has no use for more", l.To)
		}
	}
	return nil
}

// freed is how much of a concurrency the lender gives away.
func (l Loan) freed(concurrency int) int {
	if l.Share >= 1 {
		return concurrency
	}
	keep := max(concurrency-int(float64(concurrency)*l.Share), sizing.LeastConcurrency)
	return max(concurrency-keep, 0)
}
