// Package worker runs jobs, in AWS Lambda (Invoke) or in a process of its own
// (Poll): it turns a batch of SQS messages into runs of handlers, and what they
// return into states of jobs and fates of messages.
//
//	w, err := worker.New(worker.Config{Jobs: jobs, Queue: sqs, Addresses: addresses},
//		worker.HandleResult(tasks.Resize, resizer.Resize),
//		worker.Handle(tasks.Index, indexer.Index))
//	lambda.Start(w)
//
// For each message: decode, claim the job, run its handler with a deadline,
// write the outcome under the claim's token, and answer with the ids of the
// messages that are to come again.
//
//	the claim finds                         the message
//	claimed                                 as the outcome says: acknowledged, or failed and hidden for the wait
//	done, dead, cancelled, scheduled, gone  acknowledged
//	not before its time                     failed, visible again when it is
//	running elsewhere                       failed, visible again when that lease ends
//	lease ended, or put back after that     run alone, after the rest of the batch
//	own lease lost while running            failed, never acknowledged
//	newer than this worker                  failed, visible again in a minute: a deployment is under way
//	undecodable                             sent to the dead-letter queue with the reason
//	a letter                                its job is redriven, then acknowledged
//
// # Time
//
// A handler's context ends at its task's timeout, or Margin before the
// invocation does if that is sooner; the lease ends after the invocation. A
// record is not started, costs no attempt and is visible again at once, when
// less is left than the longest timeout among its queue's tasks and less than
// half of the invocation: records of the first round always start, also where a
// task may take as long as its function.
//
// A handler that ignores the end of its context has Grace to return. Then its
// attempt counts as failed, nothing more is started, the outcomes of its
// batch-mates are written, and the process exits, so that it can't thaw inside
// another invocation. Lambda then takes the whole batch as failed; jobs that
// ended are acknowledged when they are delivered again.
//
// # Poll
//
// In a process of its own there is no end of an invocation. A heartbeat extends the
// lease of each run, and the visibility of every message in hand, a third of
// PollConfig.Hold after the other, until the run's end is written and the batch is
// answered. It also ends the handler's context early, with a cause that
// context.Cause tells: ErrCancelled, ErrLeaseLost, ErrShutdown. In Lambda, Progress
// brings the first two.
//
// SQS lets nobody hold a message for more than 12 hours after its receive. A task's
// timeout ends before (job.MaxPolledTimeout), and a record that would not have its
// queue's longest timeout within these hours is not begun: it is visible again at
// once. So a run that comes near them has had its whole time, and its attempt counts
// as timed out, like any other.
//
// # Order
//
// Records run side by side up to their queue's bound. In a FIFO queue the groups
// of a batch do; the records of a group run in order, and one that is not
// acknowledged stops its group: the later ones come again, untried. A FIFO record
// without a group (SQS makes none) is never run.
//
// # Large arguments and results
//
// With Config.Objects, arguments that lie in an object are fetched within the run's
// time, before the handler begins. Where they are gone the job is dead
// (arguments_missing); where the storage does not answer, the run never began, and no
// attempt is spent. Results over ClaimCheckOver go to an object before the row that
// names it: see package claimcheck.
//
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
package worker
