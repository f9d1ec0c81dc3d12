package sizing

import "github.com/nightshift-go/nightshift/pkg/job"

// Calls are what one job that succeeds costs in calls to AWS and in the table's
// units, for rows of at most 1 KB. A KB more costs one unit more for each write.
type Calls struct {
	// Writes to enqueue, and writes to run it (claim and end).
	EnqueueWrites, RunWrites float64
	// Reads are the consistent reads of a status poll, one each.
	Reads float64
	// Sends, Receives and Deletes are calls to SQS: shares of one, where ten share a
	// call.
	Sends, Receives, Deletes float64
	// Counts are calls that read the depth.
	Counts float64
}

// TypicalCalls are measured figures (docs/performance.md): 20 jobs a second and
// more, where the relay's batches are about a quarter full.
func TypicalCalls() Calls {
	return Calls{EnqueueWrites: 1, RunWrites: 2, Reads: 1, Sends: 0.26, Receives: 0.26, Deletes: 0.26, Counts: 0.05}
}

// FullBatches are the fewest calls, at high rates: ten jobs to each call of SQS.
func FullBatches() Calls {
	c := TypicalCalls()
	c.Sends, c.Receives, c.Deletes, c.Counts = 0.1, 0.1, 0.1, 0
	return c
}

// Hard are the calls where the limit is exact (job.Queue.Hard): the job is counted by
// the transaction that makes it, and transactions cost two units for each row; the
// count goes down by a share of a transaction for each job.
func (c Calls) Hard() Calls {
	const hardRows, transaction, released = 2, 2, 0.1
	c.EnqueueWrites = c.EnqueueWrites*transaction*hardRows + transaction*released
	return c
}

// For are the calls of a job of a plan's queue.
func (c Calls) For(p Plan) Calls {
	if p.Queue.Hard {
		c = c.Hard()
	}
	batch := float64(p.Queue.BatchSize())
	c.Receives, c.Deletes = max(c.Receives, 1/batch), max(c.Deletes, 1/batch)
	return c
}

// TableAt is how many units a second a queue needs of the table when it is as busy as
// it gets: arrivals at their peak, and all its workers at work.
func (c Calls) TableAt(p Plan) (writes, reads job.Rate) {
	c = c.For(p)
	drain := DrainRate(p.MostWorkers, p.Queue.ServiceTime)
	writes = job.Rate(c.EnqueueWrites)*p.Queue.PeakArrivals + job.Rate(c.RunWrites)*drain
	return writes, job.Rate(c.Reads) * p.Queue.PeakArrivals
}
