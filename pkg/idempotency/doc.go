// Package idempotency has effects outside DynamoDB done once: a payment, an
// e-mail, a call to somebody else's API.
//
//	receipt, err := idempotency.Once(ctx, records,
//		idempotency.Key{Scope: "payments.charge", ID: j.Key("charge"), Payload: charge},
//		func(ctx context.Context) (Receipt, error) { return bank.Charge(ctx, charge) })
//
// The first caller claims the key's record by one conditional write, runs the
// function, and stores what it returned. Whoever asks later gets that answer
// without running anything. (Effects in DynamoDB itself need none of this: commit
// them together with the job.)
//
// # What a caller gets
//
//	fn's own answer           it ran here; it is stored for everybody after
//	the stored answer         it ran before; fn was not called
//	fn's own error            it ran here and failed; the claim is released, and
//	                          the next caller tries again
//	*InProgressError          it runs elsewhere, until a time; as the error of a
//	                          job's handler it snoozes the job until then
//	ErrOtherPayload           the key was used for something else; ends a job
//	ErrNotKept                it was done, and the answer is too large or not
//	                          JSON; ends a job
//	another error             the table did not answer; fn was not called
//
// Errors of fn are never stored, permanent ones included: an answer that is to
// be given again ("declined") is a value, and a redrive of a job that failed for
// good means to try again.
//
// # What it promises
//
// While the table answers and owners end in time, fn's effect happens once and
// everybody gets the same answer. A claim ends a few seconds after the context's
// deadline (or after Config.Lease), never with the record's time to live. If its
// owner has not ended by then, because its process died, the next caller takes
// over and runs fn: nobody can know whether the dead owner's effect happened. In
// that one window the effect is at least once. So give the third party the same
// key (job.Job.Key) if it takes one; if it can be asked instead, ask it where
// TakenOver tells that a former owner's end is unknown.
//
// An owner that lost its claim writes nothing over its successor's.
//
// # Rows
//
// Records are rows of the jobs table: partition key "once#<scope>#<id>", one
// write unit for each KB to claim and again to store, one to be told the answer.
// They need dynamodb:UpdateItem and dynamodb:PutItem, both of which workers have.
// They are no jobs, and neither relay nor sweep takes them for any.
package idempotency
