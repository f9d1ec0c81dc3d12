package job

import (
	"fmt"
	"strings"
	"time"
)

// Defaults of a Queue.
const (
	DefaultUtilisation = 0.7
	DefaultBatch       = 1
	DefaultRounding    = 10
)

// A Rate is a number of events in a second.
type Rate float64

// PerSecond is n events a second.
func PerSecond(n float64) Rate { return Rate(n) }

// PerMinute is n events a minute.
func PerMinute(n float64) Rate { return Rate(n / 60) }

// A Queue is declared by what is known of its load; package sizing derives the
// rest (workers, limit, timeouts, alarms), so that nobody types a magic number.
// Work that must not wait for other work has a queue of its own.
type Queue struct {
	// Name is lower case letters, digits and dashes, at most 40: "photos".
	Name string
	// PeakArrivals is how many jobs arrive a second at the busiest time.
	PeakArrivals Rate
	// ServiceTime is how long one job takes on average.
	ServiceTime time.Duration
	// LongestWait is the longest wait that is acceptable. The limit of the
	// queue follows from it.
	LongestWait time.Duration
	// Utilisation is how busy workers may be at the peak, between 0 and 1;
	// zero means DefaultUtilisation.
	Utilisation float64
	// Batch is how many messages one invocation is given; zero means
	// DefaultBatch. It is at most 10 (more would need a batching window).
	Batch int
	// Bound is how many jobs of a batch run side by side; zero means all of
	// the batch. Work that keeps a processor busy wants 1.
	Bound int
	// FIFO asks for order within a group of jobs, by a first-in-first-out
	// queue.
	FIFO bool
	// Polled tells that the queue's workers are processes of their own
	// (worker.Poll) and no functions: its tasks may take up to
	// MaxPolledTimeout, and a Lambda mapping of the queue is refused.
	Polled bool
	// Rounding is the multiple that the number of workers is rounded up to; zero
	// means DefaultRounding, for more than ten workers.
	Rounding int
	// Full says what becomes of work when the queue is full; zero refuses it.
	Full Full
	// SpillLimit is how many jobs may be spilled (Full); zero means what the
	// workers finish in a day.
	SpillLimit int
	// Hard makes the limit exact: jobs are counted in the transaction that makes
	// them, which costs about as much again. Without it the limit may be exceeded
	// for a moment by what package admission states.
	Hard bool
	// MostWorkers lets the number of workers be raised to it when the oldest job
	// waits too long (package scaling); zero means that the number is fixed.
	MostWorkers int
	// Fair shares the workers out among the clients of a standard queue, so that
	// one of them who sends much does not keep the others waiting.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
	Fair bool
}

// Validate reports every setting that makes no sense.
func (q Queue) Validate() error { return about("job", q.mistakes()) }

func (q Queue) mistakes() []error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("queue %q: "+format, append([]any{q.Name}, args...)...))
	}
	if !isQueueName(q.Name) {
		bad("the name must be 1 to 40 lower case letters, digits and dashes, a letter first")
	}
	if strings.HasSuffix(q.Name, "-dlq") {
		bad("the name must not end in -dlq: a queue's dead-letter queue is called so in the functions' settings")
	}
	if !(q.PeakArrivals > 0) {
		bad("PeakArrivals is %v a second: say how many jobs arrive at the busiest time", float64(q.PeakArrivals))
	}
	if q.ServiceTime <= 0 {
		bad("ServiceTime is %v: say how long one job takes", q.ServiceTime)
	}
	if q.LongestWait <= 0 {
		bad("LongestWait is %v: say how long a job may wait", q.LongestWait)
	}
	if q.Utilisation < 0 || q.Utilisation > 1 {
		bad("Utilisation is %v: it lies between 0 and 1", q.Utilisation)
	}
	if q.Batch < 0 || q.Batch > 10 {
		bad("Batch is %d: it lies between 1 and 10", q.Batch)
	}
	if q.Bound < 0 || q.Bound > q.BatchSize() {
		bad("Bound is %d: it lies between 1 and the batch of %d", q.Bound, q.BatchSize())
	}
	return append(problems, q.checkPressure()...)
}

// checkPressure reports settings for full queues that make no sense.
func (q Queue) checkPressure() []error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("queue %q: "+format, append([]any{q.Name}, args...)...))
	}
	if q.Rounding < 0 {
		bad("Rounding is %d: it is 0 (the default) or more", q.Rounding)
	}
	switch q.Full {
	case Refuse, Degrade, Spill, Replace:
	default:
		bad("Full is %q: use Refuse, Degrade, Spill or Replace", q.Full)
	}
	if q.SpillLimit < 0 {
		bad("SpillLimit is %d: it is 0 (the default) or more", q.SpillLimit)
	}
	if q.MostWorkers < 0 {
		bad("MostWorkers is %d: it is 0 (workers are not moved) or more", q.MostWorkers)
	}
	if q.FIFO && q.Full == Spill {
		bad("it is FIFO and Full is Spill: a job that waits in the table would be overtaken by its group")
	}
	if q.FIFO && q.Fair {
		bad("it is FIFO and Fair: its groups are for order, and share the workers out as they are")
	}
	return problems
}

// BatchSize is Batch with its default.
func (q Queue) BatchSize() int {
	if q.Batch == 0 {
		return DefaultBatch
	}
	return q.Batch
}

// SideBySide is Bound with its default: how many jobs of a batch run at once.
func (q Queue) SideBySide() int {
	if q.Bound == 0 {
		return q.BatchSize()
	}
	return q.Bound
}

// TargetUtilisation is Utilisation with its default.
func (q Queue) TargetUtilisation() float64 {
	if q.Utilisation == 0 {
		return DefaultUtilisation
	}
	return q.Utilisation
}
