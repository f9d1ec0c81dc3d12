// Package job defines background work: tasks, the queues they run on, the policy
// by which they are retried, and what a handler says when it returns.
//
// One value defines a task and serves everyone who needs to know it:
//
//	var Photos = job.Queue{
//		Name:         "photos",
//		PeakArrivals: job.PerSecond(20),
//		ServiceTime:  3 * time.Second,
//		LongestWait:  10 * time.Minute,
//	}
//
//	var Resize = job.DefineResult[ResizePhoto, Sizes]("photo.resize", job.Policy{Queue: Photos, MaxAttempts: 5})
//
// The producer makes requests from it (Resize.With), the worker registers a
// handler for it, the infrastructure reads its queue and its timeout. Definitions
// only record; mistakes in them are reported, all at once, by whoever is built
// from them (producer.New, worker.New, the constructs), through Validate.
//
// # Verdicts
//
// A handler that returns nil is done. An error makes the job run again, after a
// wait, until its attempts are used up. These values say more:
//
//	job.Fail(err)          never retry: the job is dead
//	job.RetryAfter(d, err) retry, but not before d has passed
//	job.Snooze(d)          run again after d; no attempt is spent
//	job.Continue(cursor)   progress is saved; run again with a fresh deadline; no attempt is spent
//	job.Discard(reason)    the work is no longer wanted: the job ends as cancelled
//
// The package uses the standard library alone and talks to nobody.
package job
