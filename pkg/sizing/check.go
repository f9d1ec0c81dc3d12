package sizing

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// problems collects what contradicts itself in a queue's declaration.
type problems struct {
	queue string
	found []error
}

func (c *problems) bad(format string, args ...any) {
	c.found = append(c.found, fmt.Errorf("sizing: queue %q: "+format, append([]any{c.queue}, args...)...))
}

func (p Plan) validate() error {
	c := &problems{queue: p.Queue.Name}
	if p.Queue.ServiceTime > p.Timeout {
		// One of the two is wrong. Numbers that follow from it would only hide that.
		c.bad("a job takes %v on average and is cut off after %v, so that most would never be done: look at ServiceTime, or raise the tasks' timeout", p.Queue.ServiceTime, p.Timeout)
	} else {
		p.checkWorkers(c)
		p.checkWaits(c)
	}
	p.checkTimes(c)
	p.checkPressure(c)
	return errors.Join(c.found...)
}

// checkWorkers looks whether there can be so many.
func (p Plan) checkWorkers(c *problems) {
	q := p.Queue
	if p.MaximumConcurrency > MostConcurrency && !q.Polled {
		c.bad("%s/s that take %v each are %s in progress; with workers %s busy at most that needs %d concurrent invocations, and a mapping has at most %d: split the work over %d queues, or raise Batch and Bound, if PeakArrivals and ServiceTime are as meant",
			Number(float64(q.PeakArrivals)), q.ServiceTime, Count(p.InProgress, "jobs"), Percent(q.TargetUtilisation()), p.MaximumConcurrency, MostConcurrency, p.QueueShards())
	}
	if q.MostWorkers == 0 {
		return
	}
	switch {
	case q.Polled:
		c.bad("MostWorkers is %d and processes poll it (Polled): how many there are is theirs to scale; leave MostWorkers out", q.MostWorkers)
	case p.MostConcurrency < p.MaximumConcurrency:
		c.bad("MostWorkers is %d and the load takes %d workers already: raise MostWorkers above that, or leave it out", q.MostWorkers, p.Workers)
	case p.MostConcurrency > MostConcurrency:
		c.bad("MostWorkers is %d, which takes %d concurrent invocations, and a mapping has at most %d: lower it to %d",
			q.MostWorkers, p.MostConcurrency, MostConcurrency, MostConcurrency*q.SideBySide())
	}
}

// checkTimes looks whether jobs fit their timeouts, and those what AWS allows.
func (p Plan) checkTimes(c *problems) {
	if p.FunctionTimeout > MostFunctionTimeout {
		c.bad("a batch may take %v and a function at most %v: lower Batch, raise Bound, or shorten the tasks' timeout (%v)",
			p.FunctionTimeout, MostFunctionTimeout, p.Timeout)
	}
	if least := p.Queue.LongestWait + max(p.Visibility, p.Timeout); least > Retention || least < 0 {
		c.bad("a job may wait %v, and its message is gone after %v: a full queue would lose its oldest; shorten LongestWait to %v at most, or plan the jobs for later (job.At), which wait in the table",
			p.Queue.LongestWait, Retention, max(Retention-max(p.Visibility, p.Timeout), 0))
	}
}

// checkWaits looks whether the longest wait can be kept without any overload.
func (p Plan) checkWaits(c *problems) {
	q := p.Queue
	if q.ServiceTime > q.LongestWait/2 {
		c.bad("a job takes %v and none may wait longer than %v, so that its limit is %d jobs and it has %d workers, whose jobs in hand count: it would refuse its own peak; raise LongestWait from %v to %v at least, or look at ServiceTime",
			q.ServiceTime, q.LongestWait, p.Limit, p.Workers, q.LongestWait, p.leastWait())
		return
	}
	if p.MaximumConcurrency > MostConcurrency && !q.Polled {
		return // said already, and what follows would not hold for each of more queues
	}
	w := p.Waiting()
	if w.Utilisation < 1 && w.Percentile(WaitShare) <= q.LongestWait {
		return
	}
	waits := "ever longer: the workers are all busy"
	if w.Utilisation < 1 {
		waits = w.Percentile(WaitShare).Round(time.Millisecond).String() + " or more"
	}
	enough := WorkersFor(q.PeakArrivals, q.ServiceTime, q.LongestWait, WaitShare)
	c.bad("at the peak %d workers are %.0f %% busy, and one job in a hundred waits %s by chance alone, while LongestWait is %v: lower Utilisation to %.2f (%d workers), or raise LongestWait",
		p.Workers, 100*w.Utilisation, waits, q.LongestWait, roundDown(Utilisation(q.PeakArrivals, q.ServiceTime, enough)), enough)
}

// leastWait is the shortest LongestWait that can be: two service times, so that besides
// the jobs in hand as many may wait, and what chance alone takes, in whole milliseconds.
func (p Plan) leastWait() time.Duration {
	least := 2 * min(p.Queue.ServiceTime, math.MaxInt64/2)
	w := p.Waiting()
	if chance := w.Percentile(WaitShare); w.Utilisation < 1 && chance > least {
		return chance.Truncate(time.Millisecond) + time.Millisecond
	}
	return least
}

// checkPressure looks whether what is to become of work can.
func (p Plan) checkPressure(c *problems) {
	q := p.Queue
	if q.SpillLimit > 0 && q.Full != job.Spill {
		c.bad("SpillLimit is %d and Full is not Spill, so that nothing is ever spilled: set Full, or leave SpillLimit out", q.SpillLimit)
	}
}

// checkShed looks whether a task's jobs are ever accepted.
func checkShed(task job.Definition, plans map[string]Plan) error {
	share := task.Policy.ShedAt
	limit := plans[task.Policy.Queue.Name].Limit
	if share == 0 || limit == 0 || share*float64(limit) >= 1 {
		return nil
	}
	return fmt.Errorf("sizing: task %q: ShedAt %v of its queue's limit of %d is less than one job, so that none is ever accepted: raise it above %.3f",
		task.Name, share, limit, 1/float64(limit))
}

// CheckTimeouts reports where a function and a queue that were made by hand
// contradict the plan: a function's timeout too short for its batches, a visibility
// timeout under the function's or under what a job takes (its message would come
// again while it runs, and the work be done twice), or a retention that a full queue
// outlives. Zero stands for what the plan gives; for a polled queue function is zero,
// and visibility is what its heartbeat renews.
func (p Plan) CheckTimeouts(function, visibility, retention time.Duration) error {
	c := &problems{queue: p.Queue.Name}
	orPlan := func(d, planned time.Duration) time.Duration {
		if d == 0 {
			return planned
		}
		return d
	}
	function, visibility, retention = orPlan(function, p.FunctionTimeout), orPlan(visibility, p.Visibility), orPlan(retention, Retention)
	if function < p.FunctionTimeout {
		c.bad("the function's timeout is %v; batches of %d, %d at a time, need %v", function, p.Queue.BatchSize(), p.Queue.SideBySide(), p.FunctionTimeout)
	}
	if !p.Queue.Polled && visibility < max(function, p.Queue.ServiceTime) {
		c.bad("a message is hidden for %v and a batch may take %v (a job %v on average): it would come again while its job runs; hide it for %v, as the plan does",
			visibility, function, p.Queue.ServiceTime, VisibilityFactor*function)
	}
	if visibility > MostVisibility {
		c.bad("a message would be hidden for %v, and SQS hides it for %v at most: shorten the tasks' timeout, or let processes poll the queue (Polled)", visibility, MostVisibility)
	}
	if least := p.Queue.LongestWait + max(visibility, p.Timeout); least > retention {
		c.bad("messages are kept for %v, and at the queue's limit a job waits %v and may be hidden for %v: keep them for more than %v (%v at most), or shorten LongestWait",
			retention, p.Queue.LongestWait, visibility, least, MostRetention)
	}
	return errors.Join(c.found...)
}

// roundDown cuts a share to two digits, so that who declares it gets no fewer workers.
func roundDown(share float64) float64 { return float64(whole(share*100)) / 100 }
