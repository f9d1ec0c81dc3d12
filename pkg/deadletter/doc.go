// Package deadletter reads, redrives and drops what lies in a dead-letter queue.
//
// A job that failed for good is dead: its row says why, and the relay puts a
// letter into the dead-letter queue of the job's queue. The row is what counts. A
// letter says that somebody should look; it names the death that it tells of, so
// that it can be redriven once and no more.
//
// # A run
//
// List, Redrive and Drop go through the queue once. What a run has in its hands is
// hidden from others, for a time that it renews, and visible again when it ends.
// It ends when SQS gives nothing more that is older than its beginning: what
// arrives meanwhile is for the next one. Calls that fail are repeated; where that
// does not help the run ends with the error. A run may be stopped at any point,
// by a crash too: no letter is lost, none redrives its job twice, and running it
// again goes on.
//
// Redrive and RedriveJob, the functions, are for single letters and jobs: workers
// and the backstop use them for letters that come back to their queue.
package deadletter
