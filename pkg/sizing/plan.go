package sizing

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Numbers that AWS sets.
const (
	// LeastConcurrency and MostConcurrency bound a mapping's MaximumConcurrency.
	// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
	LeastConcurrency = 2
	MostConcurrency  = 1000
	// MostFunctionTimeout is the longest that a function may run.
	// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
	MostFunctionTimeout = 15 * time.Minute
)

// Numbers that Nightshift sets.
const (
	// FunctionMargin is what a worker function needs besides its handlers: to
	// start, to claim, and to write down how the jobs ended.
	FunctionMargin = 10 * time.Second
	// VisibilityFactor is how many function timeouts a message stays hidden:
	// AWS's advice is six.
	// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
	VisibilityFactor = 6
	// MaxReceives is high, because throttled and duplicate receives use it up;
	// what a job's attempts are is counted in its row.
	MaxReceives = 1000
)

// A Plan is everything that follows from a queue's declaration.
type Plan struct {
	Queue job.Queue
	// InProgress is the average number of jobs under way at the peak.
	InProgress float64
	// LeastWorkers keep the utilisation; Workers is what there will be.
	LeastWorkers, Workers int
	// MaximumConcurrency is the mapping's: invocations at once.
	MaximumConcurrency int
	// DrainRate is what the workers finish in a second.
	DrainRate job.Rate
	// Limit is how many jobs may wait.
	Limit int
	// FunctionTimeout and Visibility are the worker function's and the queue's;
	// zero where processes poll the queue: Poll hides what it takes by itself.
	FunctionTimeout, Visibility time.Duration
}

// For plans a queue whose slowest task may take timeout. It reports every
// contradiction, with the way out.
func For(q job.Queue, timeout time.Duration) (Plan, error) {
	if err := q.Validate(); err != nil {
		return Plan{}, err
	}
	p := Plan{Queue: q, InProgress: InProgress(q.PeakArrivals, q.ServiceTime)}
	p.LeastWorkers = LeastWorkers(q.PeakArrivals, q.ServiceTime, q.TargetUtilisation())
	bound := q.SideBySide()
	p.MaximumConcurrency = max((RoundWorkers(p.LeastWorkers)+bound-1)/bound, LeastConcurrency)
	p.Workers = p.MaximumConcurrency * bound
	p.DrainRate = DrainRate(p.Workers, q.ServiceTime)
	p.Limit = Limit(p.DrainRate, q.LongestWait)
	rounds := (q.BatchSize() + bound - 1) / bound
	if q.BatchSize() > 1 {
		// A job whose worker died runs alone, after the rest of its batch: without
		// time for it, long batch-mates could put it off for ever.
		rounds++
	}
	if !q.Polled {
		p.FunctionTimeout = ceilSecond(time.Duration(rounds)*timeout + FunctionMargin)
		p.Visibility = VisibilityFactor * p.FunctionTimeout
	}
	return p, p.validate(timeout)
}

// ForTasks plans the queues of the tasks, by the queue's name: each for the
// slowest of its tasks. It reports every contradiction at once.
func ForTasks(tasks ...job.Defined) (map[string]Plan, error) {
	queues, slowest := map[string]job.Queue{}, map[string]time.Duration{}
	var problems []error
	for _, task := range tasks {
		policy := task.Definition().Policy
		name := policy.Queue.Name
		if q, known := queues[name]; known && q != policy.Queue {
			problems = append(problems, fmt.Errorf("sizing: queue %q is declared in two ways: let all its tasks use one variable", name))
		}
		queues[name] = policy.Queue
		slowest[name] = max(slowest[name], policy.Timeout)
	}
	plans := make(map[string]Plan, len(queues))
	for name, q := range queues {
		plan, err := For(q, slowest[name])
		plans[name], problems = plan, append(problems, err)
	}
	return plans, errors.Join(problems...)
}

func (p Plan) validate(timeout time.Duration) error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("sizing: queue %q: "+format, append([]any{p.Queue.Name}, args...)...))
	}
	if p.MaximumConcurrency > MostConcurrency && !p.Queue.Polled {
		bad("%d concurrent invocations are needed and a mapping has at most %d: split the queue, or raise Batch and Bound", p.MaximumConcurrency, MostConcurrency)
	}
	if p.FunctionTimeout > MostFunctionTimeout {
		bad("a batch may take %v and a function at most %v: lower Batch, raise Bound, or shorten the tasks' timeout (%v)", p.FunctionTimeout, MostFunctionTimeout, timeout)
	}
	if p.Limit < 1 {
		bad("its limit is %d jobs: LongestWait %v is shorter than one job takes", p.Limit, p.Queue.LongestWait)
	}
	if p.Queue.ServiceTime > timeout {
		bad("a job takes %v on average and is cut off after %v: raise the tasks' timeout", p.Queue.ServiceTime, timeout)
	}
	return errors.Join(problems...)
}

func ceilSecond(d time.Duration) time.Duration {
	return (d + time.Second - 1) / time.Second * time.Second
}
