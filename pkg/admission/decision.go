package admission

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Reason says why work is not admitted.
type Reason string

// The reasons.
const (
	// None: it is admitted.
	None Reason = ""
	// Full: the queue is at its limit, or its oldest job has waited too long, or
	// neither has yet fallen to the mark.
	Full Reason = "full"
	// Shed: the queue is as full as that for work of this class (Policy.ShedAt).
	Shed Reason = "shed"
	// Unknown: the depth could not be read for too long.
	Unknown Reason = "unknown"
	// Unrelayed: the relay does not publish what goes to the queue.
	Unrelayed Reason = "unrelayed"
)

// A Form is how work is accepted.
type Form string

// The forms.
const (
	// Whole: as it was asked for.
	Whole Form = ""
	// Degraded: the handler is to do less.
	Degraded Form = "degraded"
	// Spilled: it waits in the table until the queue is short.
	Spilled Form = "spilled"
	// Replacing: it may only take the place of a job that waits with its key.
	Replacing Form = "replacing"
)

// A Decision is a gate's answer.
type Decision struct {
	// Admitted tells whether the work may be enqueued, with Options.
	Admitted bool
	// Form is how it is accepted, where it is.
	Form Form
	// Reason says why not.
	Reason Reason
	// RetryAfter is when to ask again where it was not admitted, or turns out to be
	// impossible (Refused): whole seconds, at least one. It is when the queue will
	// have fallen below its mark, and up to a half more, or two seconds, drawn by
	// chance, so that clients don't come back together.
	RetryAfter time.Duration
	// Depth is how many jobs are thought to wait, Limit how many may.
	Depth, Limit int
	// Age is how long the oldest is thought to have waited.
	Age time.Duration
	// Err is why the queue could not be read, or the relay not be probed, for logs. It
	// may be set where the work was admitted on an older reading.
	Err error

	probe bool
}

// Options is what the work is to be enqueued with. Every caller passes it on to the
// producer, which answers producer.ErrFull where the form can't be had: see Refused.
// It is nil for nearly every decision.
func (d Decision) Options() []job.Option {
	var options []job.Option
	switch d.Form {
	case Degraded:
		options = append(options, job.Degraded())
	case Spilled:
		options = append(options, job.Spilled())
	case Replacing:
		options = append(options, job.OnlyReplacing())
	}
	if d.probe {
		options = append(options, job.WithProbe(prober))
	}
	return options
}

// Refused is the decision where the producer found no room for admitted work
// (producer.ErrFull): there was nothing to replace, the spill is at its limit, or the
// hard bound is reached.
func (d Decision) Refused() Decision {
	d.Admitted, d.Form, d.Reason, d.probe = false, Whole, Full, false
	return d
}
