package relay

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// placeProbe puts a gate's probe to the jobs that go to its queue. It takes their way;
// its message names a job that does not exist, which no worker has anything to do for.
func (r *Relay) placeProbe(s *sorted, index int, probe store.Probe) error {
	row := store.Record{ID: probe.ID(), Created: probe.At, Publication: &store.Publication{To: store.ToQueue(probe.Queue), N: probe.N, At: probe.At}}
	t, _ := r.queueOf(s, *row.Publication)
	out, err := r.message(row, false, t.fifo)
	if err == nil {
		t.entries = append(t.entries, jobEntry{index: index, row: row, out: out, group: out.Group, probe: &probe})
	}
	return err
}

// probeHandled confirms a probe that SQS took. One that it did not take is done with:
// its gate sends another.
func (r *Relay) probeHandled(ctx context.Context, e jobEntry, err error) bool {
	if err != nil {
		r.config.Logger.WarnContext(ctx, "a probe could not be sent: its queue takes no more work meanwhile", "queue", e.probe.Queue, "error", err.Error())
		return true
	}
	if err := r.config.Jobs.ConfirmProbe(ctx, *e.probe); err != nil {
		r.config.Logger.WarnContext(ctx, "a probe is out, which could not be confirmed", "queue", e.probe.Queue, "error", err.Error())
	}
	return true
}

// A confirmation is up to when jobs of a queue were written that were to be confirmed
// and are published.
type confirmation struct {
	queue string
	until time.Time
}

// note takes the result of one job.
func (c *confirmation) note(e jobEntry, err error) {
	if err == nil && e.row.Publication.Probe != "" && e.row.Created.After(c.until) {
		c.until = e.row.Created
	}
}

// confirm tells the queue's gates, in one write for all jobs of the batch. Where it
// fails they ask again.
func (r *Relay) confirm(ctx context.Context, c confirmation) {
	if c.until.IsZero() {
		return
	}
	if err := r.config.Jobs.ConfirmPublished(ctx, c.queue, c.until); err != nil {
		r.config.Logger.WarnContext(ctx, "jobs are published, which could not be confirmed", "queue", c.queue, "error", err.Error())
	}
}
