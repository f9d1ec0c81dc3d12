// Package lifecycle is the state machine of a job: its states, the transitions
// that exist between them, and the decisions that are taken on the way (what a
// claim does with what it finds, what follows from how a run ended).
//
// It is pure: nothing here reads a clock or writes a row. Package store turns
// each transition into one conditional write.
package lifecycle

// A State is where a job stands.
type State string

// The states of a job.
const (
	// None is the state of a job that does not exist, or no longer.
	None State = ""
	// Scheduled jobs wait in the table until they are due.
	Scheduled State = "scheduled"
	// Queued jobs have a message in their queue, or will have one as soon as
	// the relay publishes it.
	Queued State = "queued"
	// Running jobs belong to one attempt, until its lease ends.
	Running State = "running"
	// Done jobs succeeded.
	Done State = "done"
	// Dead jobs failed for good; a letter tells people why.
	Dead State = "dead"
	// Cancelled jobs were no longer wanted.
	Cancelled State = "cancelled"
)

// Final tells whether nothing more happens to the job by itself.
func (s State) Final() bool { return s == Done || s == Dead || s == Cancelled }

// Valid tells whether s is a state of an existing job.
func (s State) Valid() bool {
	switch s {
	case Scheduled, Queued, Running, Done, Dead, Cancelled:
		return true
	}
	return false
}
