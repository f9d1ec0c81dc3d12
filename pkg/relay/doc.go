// Package relay publishes what was written: it reads the stream of the jobs table
// and sends a message for every row that asks for it, jobs to their queues and
// letters to dead-letter queues.
//
// A job is one write for its producer, and the stream does not forget: there is
// no moment at which a row exists that nobody will publish.
//
// # What can't be sent
//
// One queue's failures never stand in another's way. What its queue does not take
// for now (throttled, missing, access denied) is set aside: the row is parked for
// a minute or two, and the sweep brings it back. A message that SQS refuses for
// its own sake makes its job dead, with the reason. A letter that can't be sent is
// put off, and comes up with what is due. Only where setting aside fails too
// is a record reported as failed; Lambda then delivers again from that record on.
// A row that can't be read would read no better then: it is logged and passed
// over.
//
// Order in a FIFO queue needs more: its jobs are never parked. The first entry of
// a group that can't be sent stops the group and is reported as failed.
//
// A message may be sent twice. Claims see to it that a job still runs once.
//
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
package relay
