package tasks

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Reminders is where what readers are to be reminded of becomes due. A reminder
// that comes late is worth little: the queue is never allowed to get long.
var Reminders = job.Queue{
	Name:         "reminders",
	PeakArrivals: job.PerSecond(20),
	ServiceTime:  200 * time.Millisecond,
	LongestWait:  30 * time.Second,
	Batch:        10,
}

// A Reminder tells a reader of a recipe that they wanted to cook.
type Reminder struct {
	Reader string `json:"reader"`
	Recipe string `json:"recipe"`
}

// Validate refuses what nobody could be reminded of.
func (r Reminder) Validate() error { return bothSet(r.Reader, r.Recipe) }

// Remind is enqueued for its day, up to a year ahead: until then it is a row of
// the table, that one write cancels or moves.
var Remind = job.Define[Reminder]("reminder.due", job.Policy{
	Queue: Reminders, MaxAttempts: 10, Timeout: 30 * time.Second, Backoff: backoff.Policy{Base: time.Second, Cap: time.Minute},
})

// NudgeAfter is how long a draft lies before its author is told of it. SQS can hold
// a message that long.
const NudgeAfter = 10 * time.Minute

// A DraftNudge tells an author of a recipe that they did not finish.
type DraftNudge struct {
	Author string `json:"author"`
	Recipe string `json:"recipe"`
}

// Validate refuses what has no author or no recipe.
func (d DraftNudge) Validate() error { return bothSet(d.Author, d.Recipe) }

// NudgeDraft is enqueued with a draft, with job.In(NudgeAfter), and cancelled when
// the draft is published or deleted.
var NudgeDraft = job.Define[DraftNudge]("draft.nudge", job.Policy{
	Queue: Reminders, MaxAttempts: 10, Timeout: 30 * time.Second, Backoff: backoff.Policy{Base: time.Second, Cap: time.Minute},
})

func bothSet(reader, recipe string) error {
	if reader == "" || recipe == "" {
		return errors.New("who it is for, and which recipe it is about, have to be said")
	}
	return nil
}
