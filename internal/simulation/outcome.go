package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// errFailed is why a simulated attempt fails.
var errFailed = errors.New("simulation: the attempt fails")

// begins draws what becomes of a run that begins at a time.
func (w *world) begins(r *run, begin time.Duration) {
	j := w.jobs.at(r.job)
	w.totals.Attempts++
	w.series.point.attempts++
	if !j.begun {
		j.begun = true
		w.begun(r.job)
		if !j.rest {
			w.waits.add(begin - j.accepted)
		}
	}
	r.lasts = w.lasts(j, begin)
	if w.fails(j, begin) {
		r.err = errFailed
		if f := w.config.Faults; f.FailAfter > 0 {
			r.lasts = f.FailAfter
		}
	}
	if timeout := w.config.Policy.Timeout; r.lasts > timeout && !w.config.Delivery.Plain {
		r.lasts, r.err = timeout, context.DeadlineExceeded
	}
}

func (w *world) lasts(j *row, begin time.Duration) time.Duration {
	lasts := w.service()
	switch share := w.config.Service.Degraded; {
	case j.degraded:
		lasts = time.Duration(float64(lasts) * share)
	case j.rest:
		lasts = time.Duration(float64(lasts) * (1 - share))
	}
	for _, o := range w.config.Faults.Outages {
		if o.Kind == Slow && o.covers(begin) {
			lasts = time.Duration(float64(lasts) * o.Factor)
		}
	}
	return lasts
}

func (w *world) fails(j *row, begin time.Duration) bool {
	for _, o := range w.config.Faults.Outages {
		if o.Kind == Failing && o.covers(begin) {
			return true
		}
	}
	borne := w.behind.take(w.now)
	return j.poison || !borne || w.happensTo(w.config.Faults.Attempts)
}

func (o Outage) covers(t time.Duration) bool { return t >= o.From && t < o.From+o.For }

// conclude decides how a job goes on whose run has ended.
func (w *world) conclude(r *run) {
	if r.err != nil {
		w.totals.Failed++
		w.series.point.failed++
	}
	if w.config.Delivery.Plain {
		w.concludePlainly(r)
		return
	}
	j := w.jobs.at(r.job)
	if j.state != lifecycle.Running || j.token != r.token {
		w.repeated(r) // it lost its lease: what it did counts for nothing
		r.until = never
		return
	}
	policy := w.config.Policy
	attempt := lifecycle.Attempt{Number: j.attempt, Max: policy.MaxAttempts, Backoff: policy.Backoff, FIFO: policy.Queue.FIFO}
	o := lifecycle.Ended(attempt, r.err, w.chance.backoff.Float64)
	switch o.To {
	case lifecycle.Queued:
		j.state, j.notBefore, r.until = o.To, w.now+o.Wait, w.now+o.Wait
	case lifecycle.Scheduled:
		j.state, j.notBefore = o.To, w.now+o.Wait
		w.events.push(j.notBefore, due, r.job, 0)
	default:
		w.finish(r.job, o.To)
		if o.To == lifecycle.Done && j.degraded {
			w.leaveRest()
		}
	}
}

// concludePlainly ends the run of a worker without claims: a message whose run failed
// is left to its timeout.
func (w *world) concludePlainly(r *run) {
	switch j := w.jobs.at(r.job); {
	case r.err != nil:
		r.until = never
	case j.state.Final():
		w.repeated(r)
	default:
		w.finish(r.job, lifecycle.Done)
	}
}

// repeated counts a run that did what another did.
func (w *world) repeated(r *run) {
	w.totals.Repeated++
	w.totals.RepeatedTime += r.lasts.Seconds()
}
