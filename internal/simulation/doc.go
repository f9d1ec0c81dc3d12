// Package simulation plays a queue through: from the clients who ask, by the gate that
// admits them, the relay, the queue, Lambda's pollers and the workers, to the end of
// each job. It is a discrete-event simulation: its clock jumps from one event to the
// next, so that a day takes a second.
//
// # What is real and what is modelled
//
// The rules are the toolkit's own code, under a simulated clock: who is admitted
// (package admission), how many workers and how long a queue (sizing), what a claim
// finds and how a run goes on that failed (lifecycle, backoff), how many workers more
// (scaling), how many spilled jobs are released (sweep), and when a refused client is
// back (client). There is no second copy of them here, so that a scenario shows what a
// stack would do.
//
// Modelled is what AWS does, by its documentation: a standard SQS queue (visibility
// timeouts, messages in flight, duplicates), how Lambda scales the pollers of a queue,
// cold starts, and how many writes a DynamoDB table takes. Each model says in its
// file which page it follows and what it leaves out. Handlers are a time and an
// error.
//
// # Scale
//
// Config.Scale lets a simulated job stand for many, so that billions can be played
// through: rates, workers and limits are divided by it, times stay. Averages stay what
// they are; chance weighs more, as fewer jobs even it out less.
//
// # Determinism
//
// A Config, its Seed included, gives one Result. Arrivals, service times, faults and
// clients draw from generators of their own: two runs that differ in their workers see
// the same arrivals.
package simulation
