package sweep

import (
	"cmp"
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// How long the scan waits before it takes something for lost, unless Waits says
// otherwise.
const (
	// Margin is added to every wait.
	Margin = 10 * time.Minute
	// RelayPatience is how long a row may ask to be published: the relay's
	// mapping tries a record for an hour.
	RelayPatience = time.Hour + Margin
	// DefaultPatience is for queues without a plan.
	DefaultPatience = 2 * time.Hour
	// UncountedPatience is how old a message may be in a queue whose depth is
	// not known: slow and lost can't be told apart there, and a job may be
	// late, but not for ever.
	UncountedPatience = 6 * time.Hour
	// Overdue is how late a scheduled job is before the scan promotes it,
	// which the due index should have brought up.
	Overdue = 5 * time.Minute
)

// Waits are how long the scan waits before it takes something for lost. The zero
// value of each field means the constant beside it. Waits that are too short make
// duplicates, which cost calls and do no harm; a stack whose functions and queues
// work in seconds, as in a test, wants them short.
type Waits struct {
	Margin    time.Duration // Margin
	Relay     time.Duration // RelayPatience
	Default   time.Duration // DefaultPatience
	Uncounted time.Duration // UncountedPatience
	Overdue   time.Duration // Overdue
}

func (w Waits) withDefaults() Waits {
	return Waits{
		Margin: cmp.Or(w.Margin, Margin), Relay: cmp.Or(w.Relay, RelayPatience), Default: cmp.Or(w.Default, DefaultPatience),
		Uncounted: cmp.Or(w.Uncounted, UncountedPatience), Overdue: cmp.Or(w.Overdue, Overdue),
	}
}

// A healer is the state of one run of the scan.
type healer struct {
	*Sweep
	now time.Time
	// rows counts the rows that were read.
	rows int
	// started is as in position.
	started map[string]int64
	// pass is when the recount began; zero where there is none. seen are the rows
	// that counters had then.
	pass time.Time
	seen map[store.Counter]int
	// empty caches, by queue, whether it holds nothing that is visible.
	empty map[string]bool
}

// A remedy is one conditional write; it tells whether it was needed still.
type remedy func(ctx context.Context) (bool, error)

// witness notes that jobs made at that time are being started.
func (h *healer) witness(rec store.Record) {
	if !rec.Started.IsZero() {
		h.started[rec.Queue] = max(h.started[rec.Queue], rec.Created.UnixMilli())
	}
}

// remedy gives what a row needs, or nil.
func (h *healer) remedy(ctx context.Context, rec store.Record) remedy {
	if rec.Gone(h.now) {
		return nil
	}
	switch rec.State {
	case lifecycle.Queued:
		if h.lost(ctx, rec.Queue, visibleSince(rec), h.patience(rec)) {
			return func(ctx context.Context) (bool, error) { return h.config.Jobs.Republish(ctx, rec) }
		}
	case lifecycle.Running:
		since := rec.LeaseUntil.Add(h.visibility(rec.Queue))
		if h.lost(ctx, rec.Queue, since, h.patience(rec)) {
			return func(ctx context.Context) (bool, error) { return h.config.Jobs.Requeue(ctx, rec) }
		}
	case lifecycle.Scheduled:
		if !rec.Spilled && h.now.Sub(rec.NotBefore) > h.config.Waits.Overdue {
			return func(ctx context.Context) (bool, error) { return h.config.Jobs.Promote(ctx, store.DueOf(rec)) }
		}
	case lifecycle.Dead:
		if rec.Publication != nil && h.now.Sub(rec.Publication.At) > h.config.Waits.Relay {
			return func(ctx context.Context) (bool, error) { return h.config.Jobs.RepublishLetter(ctx, rec) }
		}
	}
	return nil
}

// visibleSince is since when a queued job's message should have been visible.
func visibleSince(rec store.Record) time.Time {
	since := rec.Created
	if rec.NotBefore.After(since) {
		since = rec.NotBefore
	}
	if rec.Publication != nil && rec.Publication.At.After(since) {
		since = rec.Publication.At
	}
	return since
}

// patience is how long a message may be visible before it is asked whether it is
// lost.
func (h *healer) patience(rec store.Record) time.Duration {
	patience := h.config.Waits.Default
	if plan, known := h.config.Plans[rec.Queue]; known {
		patience = plan.Queue.LongestWait + h.config.Waits.Margin
	}
	if rec.Publication != nil {
		patience = max(patience, h.config.Waits.Relay)
	}
	return patience
}

// visibility is how long after a lease's end the message may still be hidden.
func (h *healer) visibility(queue string) time.Duration {
	if plan, known := h.config.Plans[queue]; known {
		return plan.Visibility
	}
	return h.config.Waits.Default
}

// lost tells whether a message that should be visible since then is lost, and its
// queue not merely slow.
func (h *healer) lost(ctx context.Context, queue string, since time.Time, patience time.Duration) bool {
	if h.now.Sub(since) <= patience {
		return false
	}
	overtaken := h.started[queue] > since.Add(patience).UnixMilli()
	if address, known := h.config.Addresses[queue]; known && h.config.Depths != nil {
		return overtaken || h.drained(ctx, queue, address)
	}
	return overtaken || h.now.Sub(since) > h.config.Waits.Uncounted
}

// drained tells whether a queue holds nothing that is visible, so that whatever
// should be visible is not there. Where that can't be told, it is not.
func (h *healer) drained(ctx context.Context, name string, address queue.Address) bool {
	if empty, known := h.empty[name]; known {
		return empty
	}
	depth, err := h.config.Depths.Depth(ctx, address.URL)
	if err != nil {
		h.config.Logger.WarnContext(ctx, "a queue could not be counted; its jobs are not healed in this run", "queue", name, "error", err.Error())
	}
	h.empty[name] = err == nil && depth.Visible == 0
	return h.empty[name]
}
