package standing

import (
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// staff says what a queue's workers do: what is lent, and what is not.
func (q *Queue) staff(loans []scaling.Loan, disabled bool, now time.Time) {
	var words []string
	for _, l := range loans {
		state := l.State(now)
		said := ""
		switch {
		case state == "ended":
		case l.From == q.Queue:
			said = lends(l, state)
			q.Paused = q.Paused || l.Share >= 1 && state != "asked"
		case l.To == q.Queue && state != "ending":
			said = "borrows from " + l.From
			if state == "asked" {
				said = "to borrow from " + l.From + " within a minute"
			}
		}
		if said == "" {
			continue
		}
		words = append(words, said)
		if state != "ending" && (q.Until.IsZero() || l.Until.Before(q.Until)) {
			q.Until = l.Until
		}
	}
	switch {
	case len(words) > 0:
		q.Workers = strings.Join(words, ", ")
	case disabled:
		q.Workers = "paused: its mapping is disabled"
	default:
		q.Workers = "at work"
	}
	q.Paused = q.Paused || disabled
}

// lends says what becomes of a lender's workers.
func lends(l scaling.Loan, state string) string {
	part := "all"
	if l.Share < 1 {
		part = sizing.Percent(l.Share)
	}
	switch {
	case state == "ending":
		return "to go on within a minute"
	case l.To == "" && state == "asked":
		return "to be paused within a minute"
	case l.To == "":
		return "paused"
	case state == "asked":
		return "to be lent to " + l.To + " within a minute (" + part + ")"
	}
	return "lent to " + l.To + " (" + part + ")"
}
