package sizing

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
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
	// Retention is how long a queue of jobs keeps a message that nobody takes.
	Retention = 4 * 24 * time.Hour
	// WaitShare is the share of jobs that must not wait longer than LongestWait by
	// chance alone, at the peak and without any backlog: see Waiting.
	WaitShare = 0.99
	// BusyAlarm is the utilisation from which people should know, whatever the
	// target: above it waits are several times the service time.
	BusyAlarm = 0.9
)

// A Plan is everything that follows from a queue's declaration. Explain gives each
// number with the formula that it comes from.
type Plan struct {
	Queue job.Queue
	// Timeout is that of the slowest task.
	Timeout time.Duration
	// InProgress is the average number of jobs under way at the peak.
	InProgress float64
	// LeastWorkers keep the utilisation; Workers is what there will be, and
	// MostWorkers how many they may be raised to: as many where that is fixed.
	LeastWorkers, Workers, MostWorkers int
	// MaximumConcurrency is the mapping's: invocations at once; MostConcurrency is
	// what it may be raised to.
	MaximumConcurrency, MostConcurrency int
	// Utilisation is how busy the workers are at the peak.
	Utilisation float64
	// DrainRate is what the workers finish in a second.
	DrainRate job.Rate
	// Limit is how many jobs may wait, Mark the depth at which a queue that was full
	// takes work again.
	Limit, Mark int
	// DegradeAt is the depth from which jobs are degraded, DegradeMark the one at
	// which that ends. Zero where Full is not Degrade.
	DegradeAt, DegradeMark int
	// SpillLimit is how many jobs may be spilled. Zero where Full is not Spill.
	SpillLimit int
	// RetryLeast and RetryMost are between what a client is told that is refused at
	// the limit.
	RetryLeast, RetryMost time.Duration
	// Rounds is how many timeouts an invocation may last: a batch in turns of Bound,
	// and one for a job that has to run alone.
	Rounds int
	// FunctionTimeout and Visibility are the worker function's and the queue's;
	// zero where processes poll the queue: Poll hides what it takes by itself.
	FunctionTimeout, Visibility time.Duration
	// AgeAlarm is the age of the oldest message and UtilisationAlarm the utilisation
	// above which an alarm goes off, each for several minutes. A single refusal is
	// none, RefusalsAlarm of them in a minute are: one in a hundred of the peak's
	// arrivals.
	AgeAlarm         time.Duration
	UtilisationAlarm float64
	RefusalsAlarm    int
}

// For plans a queue whose slowest task may take timeout. It reports every
// contradiction, with the way out.
func For(q job.Queue, timeout time.Duration) (Plan, error) {
	if err := q.Validate(); err != nil {
		return Plan{}, err
	}
	p := Plan{Queue: q, Timeout: timeout}
	p.staff()
	p.bound()
	p.hide()
	p.watch()
	return p, p.validate()
}

// staff says how many workers there are.
func (p *Plan) staff() {
	q := p.Queue
	p.InProgress = InProgress(q.PeakArrivals, q.ServiceTime)
	p.LeastWorkers = LeastWorkers(q.PeakArrivals, q.ServiceTime, q.TargetUtilisation())
	bound := q.SideBySide()
	rounded := RoundWorkers(p.LeastWorkers, q.Rounding)
	p.MaximumConcurrency = max((rounded+bound-1)/bound, LeastConcurrency)
	p.Workers = p.MaximumConcurrency * bound
	p.MostConcurrency, p.MostWorkers = p.MaximumConcurrency, p.Workers
	if q.MostWorkers > 0 {
		p.MostConcurrency = q.MostWorkers / bound
		p.MostWorkers = p.MostConcurrency * bound
	}
	p.Utilisation = Utilisation(q.PeakArrivals, q.ServiceTime, p.Workers)
	p.DrainRate = DrainRate(p.Workers, q.ServiceTime)
}

// bound says what may wait, and what becomes of the rest.
func (p *Plan) bound() {
	p.Limit = Limit(p.DrainRate, p.Queue.LongestWait)
	p.Mark = max(Mark(p.Limit), 0)
	switch p.Queue.Full {
	case job.Degrade:
		p.DegradeAt = DegradeAt(p.Limit)
		p.DegradeMark = Mark(p.DegradeAt)
	case job.Spill:
		if p.SpillLimit = p.Queue.SpillLimit; p.SpillLimit == 0 {
			p.SpillLimit = DefaultSpillLimit(p.DrainRate)
		}
	}
	p.RetryLeast = RetryAfter(p.Limit, p.Mark, p.DrainRate, 0)
	p.RetryMost = RetryAfter(p.Limit, p.Mark, p.DrainRate, 1)
}

// hide says for how long a message belongs to who took it.
func (p *Plan) hide() {
	q := p.Queue
	p.Rounds = (q.BatchSize() + q.SideBySide() - 1) / q.SideBySide()
	if q.BatchSize() > 1 {
		// A job whose worker died runs alone, after the rest of its batch: without
		// time for it, long batch-mates could put it off for ever.
		p.Rounds++
	}
	if !q.Polled {
		longest := min(p.Timeout, job.MaxPolledTimeout) // more is refused below; it must not overflow here
		p.FunctionTimeout = ceilSecond(time.Duration(p.Rounds)*longest + FunctionMargin)
		p.Visibility = VisibilityFactor * p.FunctionTimeout
	}
}

// watch says when people should know.
func (p *Plan) watch() {
	p.AgeAlarm = p.Queue.LongestWait
	if p.Queue.Polled {
		// SQS reckons a message's age until it is deleted, and so with the job's run,
		// which may be long.
		p.AgeAlarm += p.Timeout
	}
	p.UtilisationAlarm = max(BusyAlarm, (1+p.Queue.TargetUtilisation())/2)
	p.RefusalsAlarm = max(whole(float64(p.Queue.PeakArrivals)*60/100), 1)
}

// Waiting is how long jobs wait at the peak by chance alone.
func (p Plan) Waiting() Waiting {
	return WaitingFor(p.Queue.PeakArrivals, p.Queue.ServiceTime, p.Workers)
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
	for _, task := range tasks {
		problems = append(problems, checkShed(task.Definition(), plans))
	}
	return plans, errors.Join(problems...)
}

func ceilSecond(d time.Duration) time.Duration {
	return (d + time.Second - 1) / time.Second * time.Second
}
