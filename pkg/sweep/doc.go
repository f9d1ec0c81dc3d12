// Package sweep brings back what has no message: jobs whose time has come, and
// jobs whose message was lost.
//
// Sweep runs every minute. It promotes scheduled jobs that will be due before
// the next run, by the due index, and goes on with a paced scan of the whole
// table that heals what it finds:
//
//	queued, its message lost            published again
//	running, its lease ended long ago   queued again
//	scheduled, overdue                  promoted
//	dead, its letter not out            the letter is published again
//
// The scan adds nothing to a queue that is merely slow. A job's message counts as
// lost when it is older than the queue's longest wait and a margin, and either
// its queue holds nothing that is visible, or jobs that were made later than that
// have been started before it. (Where nobody counts the queue, six hours do.)
//
// Where arguments and results are kept as objects (package claimcheck), it goes
// through those once a day as well, and deletes what no row names any more.
//
// Backstop serves the queue to which SQS moves what was received too often.
package sweep
