// Package scheduler fires one schedule of EventBridge Scheduler: rate(…), cron(…)
// and at(…), by package schedule's rules, at each occurrence within a second (AWS
// has a minute), and at the beginning of a flexible time window.
//
// # What survives
//
// How far a schedule is lies in the data folder, and is written before an
// occurrence is handed over. So, whenever the process is killed:
//
//   - No occurrence is skipped, as long as the process is back before the next
//     one. One that was handed over and had not come to its end (a function's
//     invocation, with its retries; a message's sending) is handed over again.
//   - None is fired twice, but for that one: it had begun, and its end was not
//     written down. EventBridge promises no more than at least once, either.
//   - Of several occurrences that fell into the time in which the process was
//     down, or the machine asleep, the latest is fired, if it is no older than the
//     retry policy's event age (a day unless it says otherwise). AWS, which is
//     never down, has no such case.
//   - A rate keeps its step. A one-time schedule fires once; one whose time had
//     passed when it was made never does.
//
// A schedule whose expression, time zone or dates were changed begins anew.
//
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
package scheduler
