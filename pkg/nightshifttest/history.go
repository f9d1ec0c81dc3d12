package nightshifttest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Step is one thing that happened to a job.
type Step struct {
	// At is when, by the clock under test.
	At time.Time
	// State is the job's afterwards.
	State lifecycle.State
	// Attempt counts the job's attempts, afterwards.
	Attempt int
	// What says in a few words what happened; it is for people, and may change.
	What string
}

// History tells what happened to a job, in order.
func (k *Kit) History(id job.ID) []Step {
	k.t.Helper()
	return append([]Step(nil), k.find(id).steps...)
}

// stepOf says what a change of a job's row is; ok is false where it is of no interest.
func stepOf(now time.Time, old, rec store.Record) (step Step, ok bool) {
	what := ""
	switch {
	case old.State == lifecycle.None || !old.Created.Equal(rec.Created):
		what = "enqueued" + until(now, rec)
	case old.State != rec.State:
		what = moved(now, old, rec)
	case old.Token != rec.Token:
		what = fmt.Sprintf("attempt %d begins: the process of the run before had died", rec.Attempt)
	case rec.CancelRequested && !old.CancelRequested:
		what = "somebody asked for its cancellation"
	case string(old.Progress) != string(rec.Progress):
		what = "progress " + short(rec.Progress)
	case !sameArguments(old, rec):
		what = "replaced by a newer job of the same key" + until(now, rec)
	case !old.NotBefore.Equal(rec.NotBefore) && !rec.State.Final():
		what = "moved" + until(now, rec)
	}
	return Step{At: now, State: rec.State, Attempt: rec.Attempt, What: what}, what != ""
}

// moved says how a job came to another state.
func moved(now time.Time, old, rec store.Record) string {
	switch {
	case rec.State == lifecycle.Running:
		return fmt.Sprintf("attempt %d begins", rec.Attempt)
	case rec.State == lifecycle.Done && rec.Result != nil:
		return "done: " + short(rec.Result)
	case rec.State == lifecycle.Dead, rec.State == lifecycle.Cancelled:
		return string(rec.State) + reason(rec)
	case old.State == lifecycle.Dead:
		return "redriven"
	case old.State == lifecycle.Running && rec.Attempt < old.Attempt && string(old.Cursor) != string(rec.Cursor):
		return "continues from " + short(rec.Cursor)
	case old.State == lifecycle.Running && rec.Attempt < old.Attempt:
		return "put off" + until(now, rec)
	case old.State == lifecycle.Running:
		return fmt.Sprintf("attempt %d failed%s; again%s", rec.Attempt, reason(rec), until(now, rec))
	case old.State == lifecycle.Scheduled && rec.State == lifecycle.Queued:
		return "due"
	}
	return string(rec.State)
}

func reason(rec store.Record) string {
	if rec.Error == nil {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", rec.Error.Code, short([]byte(rec.Error.Message)))
}

func until(now time.Time, rec store.Record) string {
	if !rec.NotBefore.After(now) {
		return ""
	}
	return fmt.Sprintf(", in %v", rec.NotBefore.Sub(now))
}

// longestText is how much of a value or an error a history shows, in bytes.
const longestText = 200

func short(text []byte) string {
	if len(text) <= longestText {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:longestText]), "") + "…"
}

// Of a long history the first steps are shown, and the last.
const (
	firstSteps = 4
	lastSteps  = 10
)

// shortHistory writes the job's history out for a person, a step a line.
func (e *entry) shortHistory() string {
	var b strings.Builder
	for i, s := range e.steps {
		switch left := len(e.steps) - lastSteps; {
		case i == firstSteps && i < left:
			fmt.Fprintf(&b, "    … %d steps …\n", left-firstSteps)
		case i < firstSteps, i >= left:
			fmt.Fprintf(&b, "    +%-10v %s\n", s.At.Sub(e.start), s.What)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// histories writes the histories of a batch's jobs out.
func (k *Kit) histories(batch []sqssim.Message) string {
	k.note()
	var all []string
	for _, m := range batch {
		message, err := queue.DecodeMessage(m.Body)
		if e := k.journal.jobs[message.ID]; err == nil && e != nil {
			all = append(all, fmt.Sprintf("  job %s of %s:\n%s", e.rec.ID, e.rec.Task, e.shortHistory()))
		}
	}
	return strings.Join(all, "\n")
}
