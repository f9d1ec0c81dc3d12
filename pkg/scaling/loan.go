package scaling

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Loan lends workers of one queue to another for a time. While it lasts the lender's
// mapping is paused, or has less, and the borrower's has more by what that frees.
// Without a borrower it pauses the lender and no more.
type Loan struct {
	// From is the queue that lends, To the one that borrows; "" for a pause.
	From string `json:"from"`
	To   string `json:"to,omitempty"`
	// Share is how much of its workers the lender gives away, above 0 and at most 1,
	// which pauses it.
	Share float64 `json:"share"`
	// Asked is when somebody asked for it, Until when it ends by itself.
	Asked time.Time `json:"asked_at"`
	Until time.Time `json:"until"`
	// Returned tells that somebody asked for it back.
	Returned bool `json:"returned,omitempty"`

	// What follows is the function's.

	// Begun is when the function first saw it.
	Begun time.Time `json:"begun_at,omitzero"`
	// Freed is what the lender's concurrency was lowered by, Gained what the
	// borrower's was raised by, in invocations at once.
	Freed  int `json:"freed,omitempty"`
	Gained int `json:"gained,omitempty"`
	// ShortSince is since when the borrower has had no need of it.
	ShortSince time.Time `json:"short_since,omitzero"`
	// Ended is when the function ended it, Why says what for.
	Ended time.Time `json:"ended_at,omitzero"`
	Why   string    `json:"why,omitempty"`
}

// Over tells that the loan has ended, or will at the function's next run.
func (l Loan) Over(now time.Time) bool {
	return !l.Ended.IsZero() || l.Returned || !now.Before(l.Until)
}

// State says where the loan stands, for people: "asked" for (the function has not seen it
// yet), "lent" or "paused", "ending" (it will be over at the function's next run), "ended".
func (l Loan) State(now time.Time) string {
	switch {
	case !l.Ended.IsZero():
		return "ended"
	case l.Over(now):
		return "ending"
	case l.Begun.IsZero():
		return "asked"
	case l.To == "":
		return "paused"
	}
	return "lent"
}

// Names of marks in the jobs table.
const (
	markPrefix  = "scaling#"
	loanPrefix  = markPrefix + "loan#"
	queuePrefix = markPrefix + "queue#"
	knownMark   = markPrefix + "known"
)

// decode reads a mark.
func decode[T any](name, text string) (value T, err error) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, fmt.Errorf("scaling: reading the mark %s: %w", name, err)
	}
	return value, nil
}

// encode writes a mark.
func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("scaling: writing a mark: %w", err)
	}
	return string(text), nil
}

// under gives the marks that begin with a prefix, by the rest of their names.
func under[T any](marks map[string]string, prefix string) (map[string]T, error) {
	found := map[string]T{}
	for name, text := range marks {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		value, err := decode[T](name, text)
		if err != nil {
			return nil, err
		}
		found[rest] = value
	}
	return found, nil
}
