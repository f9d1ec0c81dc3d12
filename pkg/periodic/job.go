package periodic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/schedule"
)

// A CatchUp says what becomes of missed occurrences.
type CatchUp int

const (
	// Latest enqueues the latest of the missed occurrences and gives up those
	// before it: what produces a state (a report, a ranking) is good again after
	// one run. The default.
	Latest CatchUp = iota
	// Skip gives all of them up.
	Skip
	// All enqueues each, in order, the latest Most of them.
	All
)

// An Overlap says what becomes of an occurrence while the job of an earlier one is
// unfinished.
type Overlap int

const (
	// SideBySide enqueues it. The default.
	SideBySide Overlap = iota
	// LeaveOut does not, and the occurrence counts as handled. Where the newest wins
	// (the task's Policy.Unique), a job that still waits is given the newer one's
	// arguments instead.
	LeaveOut
)

// Bounds and defaults of a Job.
const (
	// DefaultMost is how many missed occurrences All enqueues at once.
	DefaultMost = 100
	// MaxWithin is the longest Within. Done jobs are kept for a day longer, and
	// so long no occurrence can be enqueued twice.
	MaxWithin = job.MaxUniqueFor - 24*time.Hour
	// LongestName is the most characters of a name: EventBridge's for schedules.
	// https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
	LongestName = 64
)

// A Job says which job is enqueued when. The zero value of each field but Name,
// Expression and Request has a meaning.
type Job struct {
	// Name identifies the periodic job for ever: 1 to 64 letters, digits, dots,
	// dashes and underscores. Another name is another job, without a past.
	Name string
	// Expression is rate(…), cron(…) or at(…), as package schedule reads them.
	Expression string
	// Zone is the IANA time zone of the expression; "" means UTC.
	Zone string
	// Request makes the request of an occurrence, whose time, in Zone, belongs
	// into the arguments: it may run late. It is called again for the same
	// occurrence, also by New, and does nothing else.
	Request func(at time.Time) job.Request
	// Options are those of each job: job.Group for FIFO queues; job.Unique where
	// it shares its key with jobs that others enqueue. Not job.WithID.
	Options []job.Option
	// Overlap says what becomes of an occurrence while the job of an earlier one is
	// unfinished; the default is SideBySide. LeaveOut and job.Unique exclude one
	// another.
	Overlap Overlap
	// CatchUp says what becomes of missed occurrences; the default is Latest.
	CatchUp CatchUp
	// Most bounds All; zero means DefaultMost.
	Most int
	// Within is the age over which a missed occurrence is given up; zero means
	// MaxWithin, which is also the most.
	Within time.Duration
}

// event is what a function of periodic jobs is invoked with.
type event struct {
	Periodic string `json:"periodic,omitempty"`
	Time     string `json:"time,omitempty"`
	Check    bool   `json:"check,omitempty"`
}

// Input is what the job's schedule hands to the function: the Input of its target.
// EventBridge Scheduler puts the occurrence's time into it.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
func (j Job) Input() string {
	return fmt.Sprintf(`{"periodic":%q,"time":"<aws.scheduler.scheduled-time>"}`, j.Name)
}

// CheckInput is what the schedule of the check hands to the function.
const CheckInput = `{"check":true}`

// Validate reports every setting that makes no sense.
func (j Job) Validate() error {
	_, err := j.parse()
	return err
}

// parse checks the job and reads its expression.
func (j Job) parse() (schedule.Schedule, error) {
	when, err := schedule.Parse(j.Expression, j.Zone)
	problems := []error{err}
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if _, ever := when.Next(time.Time{}); err == nil && !ever {
		bad("%s never comes round: there is no such date", j.Expression)
	}
	if j.Name == "" || len(j.Name) > LongestName || strings.Trim(j.Name, nameLetters) != "" {
		bad("the name must be 1 to %d letters, digits, dots, dashes and underscores", LongestName)
	}
	if j.Request == nil {
		bad("Request is nil: it makes the request of an occurrence")
	}
	if job.Apply(j.Options...).ID != "" {
		bad("Options has job.WithID: the id follows from the occurrence")
	}
	if j.CatchUp < Latest || j.CatchUp > All {
		bad("CatchUp is %d: use Latest, Skip or All", j.CatchUp)
	}
	if j.Overlap < SideBySide || j.Overlap > LeaveOut {
		bad("Overlap is %d: use SideBySide or LeaveOut", j.Overlap)
	}
	if j.Overlap == LeaveOut && job.Apply(j.Options...).Unique != nil {
		bad("Overlap is LeaveOut and Options has job.Unique, which leaves out as well: use one")
	}
	if j.Most < 0 {
		bad("Most is %d: it is 0 (the default) or more", j.Most)
	}
	if j.Within < 0 || j.Within > MaxWithin {
		bad("Within is %v: it is at most %v, since done jobs are kept a day longer", j.Within, MaxWithin)
	}
	if err := errors.Join(problems...); err != nil {
		return schedule.Schedule{}, fmt.Errorf("periodic: job %q: %w", j.Name, err)
	}
	return when, nil
}

const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"

// An entry is a job that is known to be sound.
type entry struct {
	Job
	when schedule.Schedule
}

// occurrence gives the occurrence that a time in an event means. own is false where
// it is none of the present expression: an event of an earlier one.
func (e *entry) occurrence(at time.Time) (occurrence time.Time, own bool) {
	if period, isRate := e.when.Every(); isRate {
		return at.Truncate(period).In(e.when.Zone()), true
	}
	if !e.when.Once() {
		at = at.Truncate(time.Minute)
	}
	next, ok := e.when.Next(at.Add(-time.Nanosecond))
	return at.In(e.when.Zone()), ok && next.Equal(at)
}

// between gives the occurrences after a time that should have been handled before
// another. The event of a rate may come at any moment of its period.
func (e *entry) between(after, before time.Time) []time.Time {
	period, isRate := e.when.Every()
	if isRate {
		after, before = after.Truncate(period), before.Add(-period+1)
	}
	var all []time.Time
	for {
		next, ok := e.when.Next(after)
		if !ok || !next.Before(before) {
			return all
		}
		all, after = append(all, next), next
	}
}

// chosen gives those of the missed occurrences that are caught up.
func (e *entry) chosen(missed []time.Time) []time.Time {
	most := 0
	switch e.CatchUp {
	case Latest:
		most = 1
	case All:
		most = e.Most
	}
	return missed[max(0, len(missed)-most):]
}

// decode reads an event. What is no event of this package is refused with advice.
func decode(raw json.RawMessage) (event, error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil || e.Check == (e.Periodic != "") {
		return event{}, fmt.Errorf("periodic: the event %.200q is none of a periodic job: give the schedule's target the Input of its Job, or CheckInput", raw)
	}
	return e, nil
}
