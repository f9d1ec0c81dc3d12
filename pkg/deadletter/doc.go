// Package deadletter reads, redrives and drops what lies in a dead-letter queue.
//
// A job that failed for good is dead: its row says why, and the relay puts a
// letter into the dead-letter queue of the job's queue. The row is what counts. A
// letter says that somebody should look; it names the death that it tells of, so
// that it can be redriven once and no more.
package deadletter
