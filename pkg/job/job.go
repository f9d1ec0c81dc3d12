package job

import (
	"time"
)

// A Job is one piece of work as its handler sees it. It carries data and no
// clients. It belongs to one run of the handler and is not for sharing.
type Job[A any] struct {
	// Args are the arguments.
	Args A
	// ID identifies the job.
	ID ID
	// Task is the task's name.
	Task string
	// Queue is the queue's name.
	Queue string
	// Attempt counts the runs of the handler, this one included, from 1.
	// Snoozed and continued runs are not counted.
	Attempt int
	// MaxAttempts is how many there may be.
	MaxAttempts int
	// CreatedAt is when the job was enqueued.
	CreatedAt time.Time
	// Client is who enqueued it over HTTP; empty for everyone else.
	Client string
	// Trace is the trace header that came with the request.
	Trace string
	// Degraded tells that the queue was getting full when the job was accepted:
	// the handler may do less. See Full.
	Degraded bool
	// Follows tells which job, or which batch, this one follows; nil for most.
	Follows *Follows

	cursor []byte
	token  string
}

// Internals are the parts of a Job that the worker sets and handlers reach
// through functions only.
type Internals struct {
	// Cursor is what Continue saved, as JSON.
	Cursor []byte
	// Token is the lease's.
	Token string
}

// New makes a Job. The worker and the test kit call it.
func New[A any](data Job[A], in Internals) *Job[A] {
	data.cursor, data.token = in.Cursor, in.Token
	return &data
}

// Key is a stable name for the effect of this job, the same in every attempt: to
// hand to third-party APIs that take idempotency keys. part tells several
// effects of one job apart.
func (j *Job[A]) Key(part string) string {
	if part == "" {
		return string(j.ID)
	}
	return string(j.ID) + ":" + part
}

// LastAttempt tells whether an error from this run would make the job dead.
func (j *Job[A]) LastAttempt() bool { return j.Attempt >= j.MaxAttempts }
