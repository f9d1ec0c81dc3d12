// Package scaling moves the number of a queue's workers while it runs: up when its
// oldest job has waited for long, down again when that is over, and from one queue to
// another when an operator lends them.
//
// # The rule
//
// Bounds.Next looks at a queue once a minute and says what the MaximumConcurrency of
// its mapping shall be. It is a pure function. With s the service time, d the jobs
// that wait, W the queue's LongestWait and T the time in which the backlog shall be
// worked off:
//
//	workers = what the plan has for the peak (or measured arrivals, if they need more) + d × s ÷ T
//
// T is half of W while the oldest job has waited for less than that, and falls to a
// quarter of W as its age rises to W; it is never below ShortestHorizon. The rule
// looks at what there is and not at what it did before: a measurement that lags makes
// it late, and never lets it pile one raise upon another. In balance, with arrivals
// of λ and a plan that drains D, a new job waits
//
//	T × (1 − D ÷ λ)   less than half of LongestWait, whatever arrives,
//
// as long as the workers that this takes are allowed.
//
// # Why it does not hunt
//
// Up is quick and down is slow. A need that exceeds what there is by a tenth raises
// it at once. It is lowered when the need has been below it by a tenth for Patience
// without a break, by a quarter at most, and never below what the messages under way
// show to be busy. One reading in that time that says otherwise, as SQS's counts may,
// starts it anew. Room that is not used costs nothing: a mapping's MaximumConcurrency
// is a ceiling, and Lambda invokes what there is work for.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
//
// # Bounds
//
// The least is the plan's (package sizing), the most job.Queue.MostWorkers, of which
// zero turns the rule off. What is behind all queues, a database as a rule, bears a
// number of workers of its own: Share keeps all queues together within it.
package scaling
