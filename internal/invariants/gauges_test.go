package invariants

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// gauges are about what gates, workers and the relay tell one another of a queue. None of
// it may touch a job.
func gauges() []scenario {
	return []scenario{
		{
			name:  "gauge",
			begin: func(w *world) { w.hideNotes = true },
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, job.WithProbe("gate")),
				noteWait(time.Second), lookStuck(30 * time.Second), probe(31 * time.Second),
				mishap(40*time.Second, func(w *world) error { w.hideNotes = false; return nil }),
			},
			ends: ends{"a": done},
		},
		{
			name: "overdue",
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, job.In(17*time.Minute)),
				lookForOverdue(5*time.Second, 17*time.Minute),
			},
			ends: ends{"a": done},
		},
	}
}

// sourceOf is what a gate before notes reads.
func (w *world) sourceOf(p *process) (*gauge.Source, error) {
	return gauge.NewSource(gauge.SourceConfig{
		Queue: "notes", URL: account + w.notes.name, LongestWait: notes.LongestWait, Jobs: p.jobs, Counter: p.queue, Logger: silent,
	})
}

// noteWait is a worker that notes a wait, and does so again as long as it is not there.
func noteWait(at time.Duration) step {
	return step{at, "worker", func(w *world, p *process, ctx context.Context) error {
		n, err := gauge.NewNotes(gauge.NotesConfig{Jobs: p.jobs, Logger: silent})
		if err != nil {
			return err
		}
		n.Began(notes, time.Second)
		time.Sleep(2 * time.Second)
		g, err := w.exact.Gauge(ctx, "notes")
		if err == nil && g.Notes == 0 {
			err = errors.New("nothing was noted")
		}
		return err
	}}
}

// lookStuck is a gate that finds that nobody works: the age grows, and the row is kept up.
func lookStuck(at time.Duration) step {
	return step{at, "gate", func(w *world, p *process, ctx context.Context) error {
		source, err := w.sourceOf(p)
		if err != nil {
			return err
		}
		r, err := source.Look(ctx)
		if age := r.Age(time.Now()); err == nil && !w.faulty && (r.Depth != 1 || age < 20*time.Second) {
			w.failf("a depth of %d and an age of %v", r.Depth, age)
		}
		return err
	}}
}

// probe is a gate that sends two probes, one after the other.
func probe(at time.Duration) step {
	return step{at, "gate", func(w *world, p *process, ctx context.Context) error {
		source, err := w.sourceOf(p)
		for i := 0; i < 2 && err == nil; i++ {
			if _, err = source.Look(ctx); err == nil {
				err = source.Probe(ctx)
			}
		}
		return err
	}}
}

// lookForOverdue looks at what would be overdue if the sweep stood still until long after
// a job was due.
func lookForOverdue(at, due time.Duration) step {
	return step{at, "gate", func(w *world, p *process, ctx context.Context) error {
		seen, err := w.exact.Mark(ctx, "checkpoint")
		if err != nil {
			return err
		}
		mark := w.start.Add(due - time.Minute).UTC().Format("2006-01-02T15:04Z")
		if _, err := w.exact.SetMark(ctx, "checkpoint", seen, mark); err != nil {
			return err
		}
		late := sweep.NewLate(p.jobs, func() time.Time { return w.start.Add(due + 10*time.Minute) })
		oldest, err := late.Oldest(ctx)
		rec, known := w.exact.Get(ctx, idOf("a"))
		if err == nil && known == nil && !oldest["notes"].Equal(rec.NotBefore) {
			w.failf("overdue since %v, not %v", oldest, rec.NotBefore)
		}
		return err
	}}
}
