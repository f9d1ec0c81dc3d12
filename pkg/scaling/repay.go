package scaling

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// endLoans takes out the loans that are over, or that can't be carried out.
func (r *run) endLoans(ctx context.Context) {
	var last []Loan
	for _, l := range r.loans {
		why := r.overBy(l, last)
		if why == "" {
			last = append(last, l)
			continue
		}
		l.Ended, l.Why, l.Gained, l.Freed = r.now, why, 0, 0
		if r.keepLoan(ctx, l) {
			r.log(ctx, slog.LevelInfo, "a loan has ended", "from", l.From, "to", l.To, "why", why)
		}
	}
	r.loans = last
}

// overBy says why a loan ends now; "" for one that lasts.
func (r *run) overBy(l Loan, before []Loan) string {
	switch {
	case l.Returned:
		return "asked for back"
	case !r.now.Before(l.Until):
		return "its time is over"
	case !l.ShortSince.IsZero() && r.now.Sub(l.ShortSince) >= ShortFor && r.now.Sub(l.Begun) >= ShortFor:
		return l.To + " is short again"
	}
	if l.Until.Sub(r.now) > LongestLoan+Overdue { // the clock of who asked may be ahead
		return fmt.Sprintf("it would last longer than %v", LongestLoan)
	}
	if err := l.check(r.known, before, r.now); err != nil {
		return err.Error()
	}
	return ""
}

// noteLoans writes down what became of the loans that last.
func (r *run) noteLoans(ctx context.Context) {
	for _, l := range r.loans {
		if l.Begun.IsZero() {
			l.Begun = r.now
			r.log(ctx, slog.LevelInfo, "a loan begins", "from", l.From, "to", l.To, "freed", l.Freed, "gained", l.Gained, "until", l.Until)
		}
		l.ShortSince = r.shortSince(l)
		r.keepLoan(ctx, l)
	}
}

// shortSince is since when the borrower has had no need of a loan: what waits would be
// done within a twentieth of its longest wait by the workers of its plan.
func (r *run) shortSince(l Loan) time.Time {
	o, ok := r.seen[l.To]
	if !ok {
		return l.ShortSince // it can't be seen
	}
	b := r.bounds[l.To]
	short := b.Plan.Queue.LongestWait / 20
	if o.Age > short || sizing.Wait(o.Depth, b.Plan.DrainRate) > short {
		return time.Time{}
	}
	if l.ShortSince.IsZero() {
		return r.now
	}
	return l.ShortSince
}

// keepLoan writes a loan down if it has changed. A lost race: an operator has just
// asked for something else, which the next run sees.
func (r *run) keepLoan(ctx context.Context, l Loan) (kept bool) {
	return r.keep(ctx, loanPrefix+l.From, l)
}

// keep moves a mark to what is known now, if that is something else.
func (r *run) keep(ctx context.Context, name string, value any) (kept bool) {
	text, err := encode(value)
	if err == nil && text == r.marks[name] {
		return true
	}
	if err == nil {
		kept, err = r.config.Jobs.SetMark(ctx, name, r.marks[name], text)
	}
	if err != nil {
		r.problems = append(r.problems, err)
	}
	if kept {
		r.marks[name] = text
	}
	return kept
}

// lendable is the most that a queue may have with what it borrows: what its
// declaration allows, if it says so.
func (b Bounds) lendable() int {
	if b.Fixed() {
		return sizing.MostConcurrency
	}
	return b.Most
}
