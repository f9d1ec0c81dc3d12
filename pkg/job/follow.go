package job

import (
	"crypto/sha256"
	"strconv"
)

// A FollowUp is a job that is enqueued in the write that ends another one: see Then
// and Finally.
type FollowUp struct {
	// Request is what is to be run.
	Request Request
	// Options are the follow-up's own.
	Options []Option
	// Always tells that it is enqueued however the job before ends.
	Always bool
}

// Then runs another job after this one, if this one is done: the write that ends
// this job enqueues the other, so that there is neither an end without its
// consequence nor a consequence of something that did not end. An option Then of its
// own makes a chain:
//
//	jobs.Enqueue(ctx, Fetch.With(…), job.Then(Convert.With(…), job.Then(Publish.With(…))))
//
// A job that ends dead enqueues it when it was redriven and is done after all; one
// that is cancelled never does. Chains and batches are described in docs/batches.md.
//
// The follow-up's id follows from this job's (ID.Follow), and its client and trace are
// this job's unless its options say otherwise. A delay (In) counts from the end of
// this job. WithID and Unique are refused: there is one follow-up for each end.
func Then(request Request, options ...Option) Option {
	return follow(FollowUp{Request: request, Options: options})
}

// Finally runs another job after this one has ended, whether it is done, dead or
// cancelled: a job's own completion hook, for instance to tell somebody. The other
// job learns from Job.Follows how this one ended. It is enqueued once, at the first
// end: a dead job that is redriven does not enqueue it again. Otherwise it is as
// Then.
func Finally(request Request, options ...Option) Option {
	return follow(FollowUp{Request: request, Options: options, Always: true})
}

func follow(f FollowUp) Option { return func(o *Options) { o.FollowUps = append(o.FollowUps, f) } }

// Follows tells what a job follows.
type Follows struct {
	// Job is the job whose end enqueued this one; empty after a batch.
	Job ID
	// State is how that job ended: "done", "dead" or "cancelled".
	State string
	// Batch is the id of the batch whose end enqueued this job; empty after a job.
	Batch string
}

// Follow gives the id of a job's follow-up: place counts the options Then and Finally
// in the order in which they were given, from 0. It can be guessed by nobody who
// can't tell the job's own id. For a follow-up in a FIFO queue it is InGroup of that.
func (id ID) Follow(place int) ID { return derived("follow", string(id), place) }

// derived makes an id of a name that can't be guessed and a number.
func derived(kind, name string, n int) ID {
	sum := sha256.Sum256([]byte(kind + "\x00" + name + "\x00" + strconv.Itoa(n)))
	return IDOf([16]byte(sum[:16]))
}

// Member gives the id of a batch's job by its index. seed is what the batch's ids
// follow from; it can't be guessed. The producer calls it.
func Member(seed string, index int) ID { return derived("member", seed, index) }

// AfterMembers gives the id of the job that runs when a batch has ended.
func AfterMembers(seed string) ID { return derived("batch", seed, 0) }
