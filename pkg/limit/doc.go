// Package limit keeps work within a rate, or within so many at once, for each key
// (a customer, an address, a third party's API) and across all processes. What it
// knows is one row for each key, in the jobs table, that every process changes by
// conditional updates.
//
//	Bucket  a token bucket: so many a second, and so many in a burst
//	Slots   at most so many at once
//
// Before a request, ask a Bucket (Take). Before a job, put either around its handler
// (Handler): a job that may not begin is snoozed, which spends no attempt, and comes
// back about when it can.
//
// # How exact it is
//
// A Bucket hands out, in any time t, at most
//
//	Rate × (t + Hold + S) + Burst
//
// tokens, where S is how far the clocks of its processes lie apart, and Hold is zero
// without leases (BucketConfig.Lease). Neither races, nor repeated calls, nor answers
// that were lost add to that. No time to live decides anything: DynamoDB deletes rows
// late, and a row that is late is read by its own time.
//
// Slots are leases: at most AtOnce are held, by owners whose processes are alive or
// whose lease has not ended yet.
//
// # What it costs
//
// A token costs one write; a lease of n, an nth of that. A refusal costs one, and no
// more until there can be another token. A slot costs a write to take and one to give
// back. A job that has to wait costs a write to be refused (unless its process knows)
// and one for its place in the line, beside what its delivery, claim and snooze cost.
//
// Rows have keys that begin with RowPrefix and need dynamodb:UpdateItem. They expire,
// and are no jobs: neither relay nor sweep takes them for any.
package limit
