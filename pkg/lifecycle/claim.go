package lifecycle

import "time"

// A Row is what the decisions need to know of a job.
type Row struct {
	State           State
	Token           string
	LeaseUntil      time.Time
	NotBefore       time.Time
	Expires         time.Time // time to live; zero: never
	Attempt         int
	MaxAttempts     int
	Alone           bool // its attempt runs, or ran, without batch-mates
	Deaths          int  // how often its worker died while it ran alone
	CancelRequested bool
	// Suspect jobs were put back after their worker had died: until a run of
	// theirs has ended otherwise, they run alone.
	Suspect bool
}

// Gone tells whether the row's time to live has passed: DynamoDB deletes such
// rows late.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
func (r Row) Gone(now time.Time) bool {
	return r.State == None || !r.Expires.IsZero() && !r.Expires.After(now)
}

// A Finding is what a refused claim found.
type Finding int

// What a refused claim may find, and what the message is owed.
const (
	// Missing: no such row. Acknowledge: a message with a row behind it
	// never creates one.
	Missing Finding = iota
	// Finished: done, dead, cancelled or scheduled. Acknowledge.
	Finished
	// Mine: the claim had been applied and only its answer was lost. Run.
	Mine
	// Early: not before its time. Keep hidden until Until.
	Early
	// Busy: running elsewhere. Keep hidden until Until.
	Busy
	// Orphaned: its owner's lease ended. Take it over and run it alone.
	Orphaned
	// Suspect: queued, and only to be claimed by a worker that runs it alone.
	Suspect
	// Contended: claimable, though the claim was refused: the row changed
	// between. Claim again.
	Contended
)

var findingNames = [...]string{"missing", "finished", "mine", "early", "busy", "orphaned", "suspect", "contended"}

// String names the finding for logs.
func (f Finding) String() string { return findingNames[f] }

// Refused decides on a claim whose condition failed, from the row as it was.
// token is that of the claim, and alone tells whether the job would have run
// alone. until is set for Early and Busy.
func Refused(row Row, token string, alone bool, now time.Time) (finding Finding, until time.Time) {
	switch {
	case row.Gone(now):
		return Missing, time.Time{}
	case row.State == Running && row.Token == token:
		return Mine, time.Time{}
	case row.State == Running:
		end := row.LeaseUntil.Add(LeaseMargin)
		if now.Before(end) {
			return Busy, end
		}
		return Orphaned, time.Time{}
	case row.State != Queued:
		return Finished, time.Time{}
	case row.NotBefore.After(now.Add(Tolerance)):
		return Early, row.NotBefore
	case row.Suspect && !alone:
		return Suspect, time.Time{}
	default:
		return Contended, time.Time{}
	}
}

// A Takeover is what becomes of an orphaned job.
type Takeover struct {
	// To is Running, Dead or Cancelled.
	To State
	// Attempt and Deaths are the row's new counts.
	Attempt, Deaths int
}

// TakeOver decides on a job whose owner's lease has ended. A process that died
// may have been killed by a batch-mate, so only a death alone spends the attempt;
// any other death gives it back, and the job runs alone from then on.
func TakeOver(row Row) Takeover {
	deaths := row.Deaths
	if row.Alone {
		deaths++
	}
	switch {
	case row.CancelRequested:
		return Takeover{To: Cancelled, Attempt: row.Attempt, Deaths: deaths}
	case row.Alone && row.Attempt >= row.MaxAttempts:
		return Takeover{To: Dead, Attempt: row.Attempt, Deaths: deaths}
	case row.Alone:
		return Takeover{To: Running, Attempt: row.Attempt + 1, Deaths: deaths}
	default:
		return Takeover{To: Running, Attempt: row.Attempt, Deaths: deaths}
	}
}
