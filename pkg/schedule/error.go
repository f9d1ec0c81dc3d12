package schedule

import "fmt"

// PartZone is the Part of an Error that is about the time zone.
const PartZone = "time zone"

// An Error is an expression or a time zone that is refused.
type Error struct {
	// Expression is the whole expression.
	Expression string
	// Part is where the mistake is: "minutes", "day of week", PartZone; ""
	// where it is in the expression as a whole.
	Part string
	// Problem says what is wrong, and what would be right where that is plain.
	Problem string
}

// Error gives all three.
func (e *Error) Error() string {
	if e.Part == "" {
		return fmt.Sprintf("schedule: %.200q: %s", e.Expression, e.Problem)
	}
	return fmt.Sprintf("schedule: %.200q: %s: %s", e.Expression, e.Part, e.Problem)
}
