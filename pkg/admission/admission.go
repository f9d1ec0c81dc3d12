// Package admission decides whether a queue takes more work. A queue that is
// allowed to grow without bound answers everybody too late; one that refuses at
// its limit answers those whom it accepts in time, and tells the others when to
// come back.
//
// # What is counted
//
// A Gate bounds a queue by depth and by age. It compares the limit that package
// sizing derived with what waits: the last reading of the depth, and what this
// process has admitted since, or so shortly before the reading that it may not be
// counted yet (a job is written to the table first and reaches the queue by the
// relay). And it compares the longest wait that was declared with the age of the
// oldest job. A reading is made once a refresh interval at most, however many
// ask at once; between readings a decision costs no call, one lock, and no memory.
//
// # What becomes of work for a full queue
//
// The queue's declaration says (job.Full): it is refused, or takes the place of a job
// that waits with the same key, or is kept in the table for later. A queue that
// degrades accepts from half its limit on jobs that are marked to do less, and refuses
// at the limit. Decision.Options is what an accepted job is to be enqueued
// with, and every caller passes it on. For tasks whose policy has ShedAt the
// queue is full at that share of its limits.
//
// # Hysteresis
//
// A queue that was full is open again when its depth has fallen to a twentieth below
// what may wait (sizing.Mark): else the gate would flutter, and each client that comes
// back would find it full again. Every threshold has this, the one of degrading too.
//
// # Slow workers
//
// An age lags: it tells how deep the queue was when the oldest job came. From the first
// job on that waited too long, the gate reckons how many jobs the workers really do
// in the longest wait, by how many were ahead of the oldest when it came; as many
// may wait, until that is the limit again. Where it does not remember so far back, the
// age decides alone.
//
// # Counts that dip
//
// SQS's counts are approximate: they lag, and for a moment they may all be zero. What
// falls faster than the workers can drain, or says that nothing waits where just now
// something old did, is therefore not believed until three readings in a row have
// said so, over Config.Doubt; then the highest of them is. A rise is believed at
// once. A purged queue is open a few seconds after somebody looks. The first reading
// of a process has nothing to be compared with, and is believed.
//
// # Overshoot
//
// Processes don't know of one another's admissions until the next reading, so
// that the limit can be exceeded by at most
//
//	overshoot ≤ A × (R + L)
//
// with A the jobs that all processes together are asked for in a second, R the
// refresh interval, and L the time that a job takes from its row to the queue's
// counts (the relay's window and a second or two of SQS's own). A process alone
// does not overshoot: it knows what it admitted. Where that matters, lower the
// queue's LongestWait by overshoot ÷ drain rate, or declare it Hard.
//
// # The relay
//
// Where the relay stands still, the queue behind it looks empty. So a gate with
// Config.Probe asks, every few seconds, for one admitted job to be confirmed when it was
// published (job.WithProbe). Where that takes too long it sends a probe of its own, a
// row that is for nothing else, since the job may never have been written, and counts
// as waiting what it let in since the last confirmation. While its own probe stays
// unconfirmed it refuses (Unrelayed), and sends further ones, so that it opens by
// itself. Confirmations are per queue: one that is broken closes only itself.
//
// # When the depth can't be read
//
// For a bounded time (Config.Blind) the gate goes on with the last reading and
// what it has admitted since: accepted work is durable, so what a blind gate
// risks is longer waits and nothing else, by at most A × Blind jobs; refusing
// everybody because one count failed would be the greater harm. After that, or
// where no reading was ever had, it refuses: work is not accepted into the dark
// for long.
package admission
