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

// Errors of a Desk; those that a request wraps say what is wrong, and the way out.
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

// A refusal tells an operator, in his words, what an error of a Desk is about.
type refusal struct {
	kind error
	text string
}

func (r *refusal) Error() string { return "scaling: " + r.text }
func (r *refusal) Unwrap() error { return r.kind }

func refuse(kind error, format string, args ...any) error {
	return &refusal{kind, fmt.Sprintf(format, args...)}
}

func unknown(name string, known map[string]Known) error {
	return refuse(ErrUnknown, "there is no such queue: %.80q: use one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

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
// where nothing is lent, and ErrUnknown where there is no such queue.
func (d *Desk) Return(ctx context.Context, from string) (Loan, error) {
	name := loanPrefix + from
	text, err := d.jobs.Mark(ctx, name)
	if err != nil {
		return Loan{}, err
	}
	if text == "" {
		return Loan{}, d.none(ctx, from)
	}
	loan, err := decode[Loan](name, text)
	switch {
	case err != nil:
		return loan, err
	case !loan.Ended.IsZero():
		return loan, d.none(ctx, from)
	case loan.Over(d.now()):
		return loan, refuse(ErrNone, "nothing more is to be done: %s goes on within a minute", from)
	}
	loan.Returned = true
	return loan, d.move(ctx, text, loan)
}

// none says why nothing can be asked back from a queue that neither lends nor is paused.
func (d *Desk) none(ctx context.Context, from string) error {
	known, err := d.Queues(ctx)
	if err != nil {
		return err
	}
	if _, ok := known[from]; !ok && len(known) > 0 {
		return unknown(from, known)
	}
	loans, err := d.Loans(ctx)
	if err != nil {
		return err
	}
	for _, o := range loans {
		if o.To == from && !o.Over(d.now()) {
			return refuse(ErrNone, "%s is not paused and lends nothing: it borrows from %s; %s", from, o.From, o.wayOut())
		}
	}
	return refuse(ErrNone, "%.80q is not paused and lends nothing: there is nothing to be given back", from)
}

func (d *Desk) move(ctx context.Context, before string, loan Loan) error {
	text, err := encode(loan)
	if err != nil {
		return err
	}
	moved, err := d.jobs.SetMark(ctx, loanPrefix+loan.From, before, text)
	if err == nil && !moved {
		return refuse(ErrRace, "somebody else has just changed what %s lends: see nightshift queues lend --list, and ask again", loan.From)
	}
	return err
}

// what says in the operator's words what a loan would do.
func (l Loan) what() string {
	if l.To == "" {
		return l.From + " can't be paused"
	}
	return fmt.Sprintf("%s can't lend to %s", l.From, l.To)
}

// terms says until when a loan lasts, and wayOut how to end it before.
func (l Loan) terms() string {
	until := l.Until.UTC().Format(time.RFC3339)
	if l.To == "" {
		return fmt.Sprintf("%s is paused until %s", l.From, until)
	}
	return fmt.Sprintf("%s lends to %s until %s", l.From, l.To, until)
}

func (l Loan) wayOut() string {
	if l.To == "" {
		return "let it go on first: nightshift queues resume " + l.From
	}
	return fmt.Sprintf("end that first: nightshift queues lend %s --give-back", l.From)
}

// check says why a loan makes no sense beside the others, or nil.
func (l Loan) check(known map[string]Known, others []Loan, now time.Time) error {
	if len(known) == 0 {
		return refuse(ErrRefused, "%s: the function that moves workers has not run yet; it runs each minute, so ask again in one (a stack that has no such function lends nothing)", l.what())
	}
	for _, name := range []string{l.From, l.To} {
		q, ok := known[name]
		switch {
		case name == "" && l.From != "":
		case !ok:
			return unknown(name, known)
		case q.Polled:
			return refuse(ErrRefused, "%s: processes of its own poll the queue %s, and no function works on it; stop or scale its service instead", l.what(), name)
		}
	}
	switch lasts, concurrency := l.Until.Sub(l.Asked), known[l.From].Least; {
	case l.From == l.To:
		return refuse(ErrRefused, "%s can't lend to itself: name two queues, or pause it", l.From)
	case lasts <= 0 || lasts > LongestLoan:
		return refuse(ErrRefused, "%s for %v: ask for more than nothing and at most %v, and again when that is over", l.what(), lasts, LongestLoan)
	case !(l.Share > 0 && l.Share <= 1):
		return refuse(ErrRefused, "%s a share of %v: give a part of its workers, above 0 and at most 1", l.what(), l.Share)
	case l.freed(concurrency) == 0:
		return refuse(ErrRefused, "%s can't lend %s of its workers to %s: %s", l.From, sizing.Percent(l.Share), l.To, tooLittle(concurrency))
	}
	return l.beside(others, now)
}

// tooLittle says why a share of a concurrency frees nothing.
func tooLittle(concurrency int) string {
	if concurrency <= sizing.LeastConcurrency {
		return fmt.Sprintf("it has a concurrency of %d, and Lambda takes no less than %d; lend all of it, which pauses it", concurrency, sizing.LeastConcurrency)
	}
	return fmt.Sprintf("of its concurrency of %d that is less than one invocation; lend more", concurrency)
}

// beside says why a loan can't be beside the others: what a queue borrowed it does not
// lend, so that loans never run in a circle.
func (l Loan) beside(others []Loan, now time.Time) error {
	for _, o := range others {
		switch {
		case o.Over(now):
		case o.From == l.From:
			return refuse(ErrRefused, "%s: %s already; %s", l.what(), o.terms(), o.wayOut())
		case o.To == l.From:
			return refuse(ErrRefused, "%s while it borrows: %s, and what is borrowed is not lent on; %s", l.what(), o.terms(), o.wayOut())
		case o.From == l.To:
			return refuse(ErrRefused, "%s: %s, and has no use for more; %s", l.what(), o.terms(), o.wayOut())
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
