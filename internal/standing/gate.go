package standing

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A Gate is what becomes of new work for a queue.
type Gate string

// What becomes of new work.
const (
	Open      Gate = "open"
	Degrading Gate = "degrading"
	Spilling  Gate = "spilling"
	Replacing Gate = "replacing"
	Full      Gate = "full"
	Unrelayed Gate = "unrelayed"
	Unknown   Gate = "unknown"
)

// means says it in words.
var means = map[Gate]string{
	Open:      "open",
	Degrading: "degrading: new jobs do less",
	Spilling:  "spilling: new jobs are kept in the table for later",
	Replacing: "replacing: new jobs only take the place of those with their key",
	Full:      "full: new jobs are refused",
	Unrelayed: "closed: the relay does not publish, and new jobs are refused",
	Unknown:   "closed: the queue can't be read, and new jobs are refused",
}

// patience is how long people wait for a reading, on a machine that has much to do.
const patience = 10 * time.Second

// gate makes the gate of one queue, which is only asked what it would say: it sends no
// probes, but sees what became of others'. What is counted here is the queue of one
// moment; nobody waits for two readings more.
func (c Config) gate(plan sizing.Plan, url string, late *sweep.Late) (*admission.Gate, error) {
	source, err := gauge.NewSource(gauge.SourceConfig{
		Queue: plan.Queue.Name, URL: url, LongestWait: plan.Queue.LongestWait,
		Jobs: c.Jobs, Counter: c.Counter, Overdue: late.Oldest, Now: c.Now,
	})
	if err != nil {
		return nil, err
	}
	config := admission.For(plan)
	config.Look, config.Window, config.Now = source.Look, c.Window, c.Now
	config.Probe = func(context.Context) error { return nil }
	config.Doubt, config.Timeout = -1, patience
	return admission.New(config)
}

// judge asks a queue's gate.
func (b *Board) judge(ctx context.Context, q *Queue, gate *admission.Gate) error {
	plan := b.plans[q.Queue]
	q.Limit, q.LongestWait = plan.Limit, plan.Queue.LongestWait.Seconds()
	d := gate.Check(ctx)
	if d.Age > 0 || q.Visible == 0 {
		age := d.Age.Round(time.Second).Seconds()
		q.Age = &age
	}
	full, err := b.counted(ctx, plan, d.Form)
	q.Gate = said(d)
	if full && d.Admitted {
		q.Gate = Full
	}
	q.Means = means[q.Gate]
	if err == nil {
		err = d.Err
	}
	return err
}

// said is what a decision comes to.
func said(d admission.Decision) Gate {
	switch {
	case d.Reason == admission.Unknown:
		return Unknown
	case d.Reason == admission.Unrelayed:
		return Unrelayed
	case !d.Admitted:
		return Full
	}
	return map[admission.Form]Gate{admission.Whole: Open, admission.Degraded: Degrading, admission.Spilled: Spilling, admission.Replacing: Replacing}[d.Form]
}

// counted tells whether what the producer counts exactly is at its limit: the jobs of a
// queue that is Hard, and those that are spilled.
func (b *Board) counted(ctx context.Context, plan sizing.Plan, form admission.Form) (bool, error) {
	var count store.Count
	var bound store.Bound
	switch {
	case form == admission.Spilled:
		count, bound = store.CountSpilled, store.SpillBound(plan)
	case plan.Queue.Hard:
		count, bound = store.CountHard, store.HardBound(plan)
	default:
		return false, nil
	}
	counters, err := b.config.Jobs.Counters(ctx, count, plan.Queue.Name, bound.Shards)
	used := 0
	for _, c := range counters {
		used += c.Used
	}
	return used >= bound.Limit, err
}
