// Package gauge tells gates how a queue does, beyond what SQS counts.
//
// # The wait that workers see
//
// SQS does not say how long its oldest message has waited: CloudWatch does, minutes
// late. But a worker that begins a job knows how long that one waited. Notes writes it
// to a row of the jobs table, once a second at most for each process and queue, more
// seldom where many processes do, and much more seldom while jobs hardly wait; beside the
// work, so that it neither delays nor fails a job. Source reads that row together with the depth.
//
// The row is of its moment. Where messages are visible and nobody notes anything, nobody
// works, and the oldest has waited since then as well: a gate that sees it keeps the row
// up, so that a process which has just begun knows it, too. What was noted more than half
// of the longest wait ago, and not kept up, says nothing any more: the queue was empty,
// or nobody asked. Where no message is visible, nothing waits.
//
// Workers without Notes leave a queue without an age: its gates go by depth alone.
//
// # What it costs
//
// A worker process writes a row of less than 1 KB at most once a minute, or twenty times
// within the longest wait, while jobs hardly wait. When they do it is once a second for all
// processes together, or a little more: each at least every ten seconds. A gate's process reads both rows of the gauge once a second, while it is asked: one read
// unit. A probe costs a write of the relay's, every three seconds at most for each process,
// and fewer where others' are confirmed.
package gauge
