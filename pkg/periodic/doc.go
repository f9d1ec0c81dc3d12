// Package periodic enqueues jobs at the times of schedules: each occurrence once,
// whatever fires twice, late or not at all.
//
// A Job is declared beside its task, and serves the function and the
// infrastructure alike:
//
//	var Weekly = periodic.Job{
//		Name:       "newsletter",
//		Expression: "cron(0 9 ? * MON *)",
//		Zone:       "Europe/Berlin",
//		Request:    func(monday time.Time) job.Request { return Newsletter.With(Issue{Monday: monday}) },
//	}
//
// EventBridge Scheduler invokes a function with the job's Input, in which it puts
// the time of the occurrence, and the function enqueues the job of that
// occurrence:
//
//	p, err := periodic.New(periodic.Config{Jobs: jobs, Producer: producer}, Weekly)
//	lambda.Start(p.Handle)
//
// # Once
//
// The id of an occurrence's job is derived from the periodic job's name and the
// occurrence's time, so that whoever enqueues it first wins and everybody else
// finds that job: a schedule that fires twice, two schedulers, a retry, the check
// below. A row of the jobs table marks how far occurrences were enqueued; it is
// written after the enqueueing, and a crash between the two does no harm.
//
// The occurrences of a rate are the multiples of its length (of five minutes, the
// fifth of each hour's minutes; of a day, midnight UTC), whenever its schedule was
// made: two schedulers that are out of step mean the same ones. An occurrence of a
// cron expression is the minute that its event names.
//
// # Missed occurrences
//
// A schedule's event can be lost: the table can't be written for longer than
// Lambda retries, a laptop is asleep. Another schedule, every few minutes, invokes
// the function with CheckInput. It takes for missed what lies between the mark and
// Grace ago, and treats that as the job's CatchUp says; so does the next event of
// the schedule. Nothing older than Within is caught up: 14 days at most, since done
// jobs are kept for 15, and until then an occurrence can't be enqueued twice.
//
// A job whose expression or zone was changed begins anew: nothing that lies
// before the change is caught up, since the new expression did not hold then. A job
// that is paused misses nothing.
package periodic
